import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { until } from "../world/api.ts";
import { newTenant, shared } from "../world/tenant.ts";

/** A browser draws such a long page slowly on a busy machine. */
const PATIENCE_MS = 180_000;

const browser = openWindows();
const page = await browser.newPage();
page.setDefaultTimeout(PATIENCE_MS);

test("the viewer shows every operation, narrow or wide, and sends requests only to this service", async () => {
  const heard = await open("User/getUser");
  await page.getByRole("button", { name: "Try it out" }).waitFor();
  for (const width of [1400, 400]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  const operations = await countOperations();
  const seen = new Set<string>();
  await page.evaluate("scrollTo(0, 0)");
  await until(
    "every operation",
    async () => {
      for (const id of await operationsShown()) seen.add(id);
      await page.evaluate("scrollBy(0, 300)");
      return seen.size === operations;
    },
    PATIENCE_MS,
  );
  await page.emulateMedia({ colorScheme: "dark" });
  await until("the page to be dark", async () => (await brightness()) < 64);
  await page.emulateMedia({ colorScheme: "light" });
  await until("the page to be light", async () => (await brightness()) > 192);
  expect(heard.messages).toEqual([]);
  expect(heard.requests.filter((url) => url !== "about:blank" && !url.startsWith(shared().url))).toEqual([]);
  expect(heard.requests.length).toBeGreaterThan(4);
});

test("a developer gets a token there and reads a record", async () => {
  const { tenant } = await newTenant();
  const heard = await open("Application/getApplication");
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const form = page.locator(".auth-container").filter({ hasText: "clientCredentials" });
  await form.getByLabel("client_id:").fill(tenant.client.clientId);
  await form.getByLabel("client_secret:").fill(tenant.client.clientSecret);
  await form.getByText("select all").click();
  await form.getByRole("button", { name: "Apply given OAuth2 credentials" }).click();
  await form.getByText("Logout").waitFor();
  await page.locator(".modal-ux .close-modal").click();

  const operation = page.locator("#operations-Application-getApplication");
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.locator("tr[data-param-name=Id] input").fill(tenant.client.clientId);
  await operation.getByRole("button", { name: "Execute" }).click();
  await operation.locator(".live-responses-table").getByText("demo-client").first().waitFor();
  expect(heard.messages).toEqual([]);
});

test("its pages allow only our scripts and no frames, and its files are cacheable", async () => {
  for (const path of ["", "/viewer.js", "/viewer.css", "/swagger-ui-bundle.js", "/swagger-ui.css"]) {
    const response = await fetch(`${shared().url}/openapi${path}`);
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy")!;
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).not.toMatch(/(src|href)="(https?:|\/)/);
  }
});

test("it has no other files", async () => {
  for (const path of ["/nothing", "/..%2Findex.ts", "/constructor"]) {
    expect((await fetch(`${shared().url}/openapi${path}`)).status).toBe(404);
  }
  const forBrowsers = await fetch(`${shared().url}/openapi/nothing`, { headers: { accept: "text/html" } });
  expect([forBrowsers.status, forBrowsers.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  const forOthers = await fetch(`${shared().url}/openapi/nothing`);
  expect(await forOthers.json()).toMatchObject({ Type: "/Errors/Not Found", Instance: "/openapi/nothing" });
  const response = await fetch(`${shared().url}/openapi/viewer.js`, { method: "POST" });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

/** @returns the page's console messages and its later requests */
async function open(operation: string) {
  const heard = { messages: [] as string[], requests: [] as string[] };
  page.removeAllListeners();
  page.on("console", (message) => heard.messages.push(message.text()));
  page.on("pageerror", (error) => heard.messages.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) heard.requests.push(request.url());
  });
  await page.goto("about:blank");
  await page.goto(`${shared().url}/openapi#/${operation}`);
  return heard;
}

async function countOperations(): Promise<number> {
  const document = (await (await fetch(`${shared().url}/openapi.json`)).json()) as Record<string, object>;
  const items = Object.values({ ...document.paths, ...document.webhooks }) as object[];
  return items.flatMap((item) => Object.keys(item)).filter((key) => key !== "parameters").length;
}

/** The page draws only the visible operations of a long document. */
const operationsShown = () =>
  page.evaluate("[...document.querySelectorAll('.opblock')].map(({ id }) => id)") as Promise<string[]>;

/** Brightness of the page's background, from 0 to 255. */
async function brightness(): Promise<number> {
  const colors = (await page.evaluate(
    "[document.documentElement, document.body].map((element) => getComputedStyle(element).backgroundColor)",
  )) as string[];
  const painted = colors.flatMap((color) => /^rgb\((\d+)/.exec(color)?.[1] ?? []);
  return Number(painted[0] ?? 255);
}
