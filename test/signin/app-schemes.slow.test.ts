// Forms whose redirects end in an app: Chromium applies form-action to every redirect after a form.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { until } from "../world/api.ts";
import { type Client, newClient, newPkce } from "../world/client.ts";
import { signedIn } from "../world/person.ts";
import { shared } from "../world/tenant.ts";

const browser = openWindows();

/** Where a callback sends the browser. No app is installed here, so Chromium asks the system in vain. */
const ENDS = ["claude://login?ok=1", "com.example.app:/cb", "http://localhost:9/done", "https://localhost:9/done"];

/** An application on another site that redirects every request. */
function startApplication(end: string) {
  const got: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      got.push(request.url);
      return new Response(null, { status: 302, headers: { location: end } });
    },
  });
  return { got, origin: `http://localhost:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

/** @returns the page, and how its navigations to an app or a closed port ended */
async function newPage(javaScriptEnabled: boolean) {
  const page = await (await browser.newContext({ javaScriptEnabled, isStyled: true })).newPage();
  const ended: string[] = [];
  page.on("console", (message) => {
    if (/security policy/i.test(message.text())) ended.push(message.text());
  });
  page.on("requestfailed", (request) => ended.push(request.failure()!.errorText));
  return { page, ended };
}

async function expectToLeave(ended: string[]): Promise<void> {
  await until("the browser to leave", async () => ended.length > 0);
  expect(ended.join("; ")).not.toMatch(/policy|csp/i);
}

async function signIn(page: Page, client: Client, fields: Record<string, string>): Promise<void> {
  await page.goto(shared().url + client.authorize({ ...fields, ...newPkce().challenge }));
  await page.getByLabel("User name").fill(client.tenant.admin.username);
  await page.getByLabel("Password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const SCRIPTS = [true, false];
const MODES = ["query", "form_post"];

test.each(SCRIPTS.flatMap((script) => ENDS.map((end) => [script, end] as const)))(
  "with script %p the callback may redirect to %s",
  async (script, end) => {
    for (const response_mode of MODES) {
      for (const choice of ["Allow", "Deny"]) {
        using app = startApplication(end);
        const redirect_uri = `${app.origin}/callback`;
        const client = await newClient({ client_type: "public", redirect_uris: [redirect_uri] });
        const { page, ended } = await newPage(script);
        await signIn(page, client, { redirect_uri, response_mode });
        await page.getByRole("button", { name: choice }).click();
        const isPosting = response_mode === "form_post" && !script;
        if (isPosting) await page.getByRole("button", { name: "Continue" }).click();
        await expectToLeave(ended);
        expect(app.got).toHaveLength(1);
      }
    }
  },
);

test.each(SCRIPTS)(
  "with script %p every form leads to an app's own scheme: sign-in, consent, denial and logout",
  async (script) => {
    const redirect_uri = "com.example.app:/callback";
    const client = await newClient({
      client_type: "native",
      redirect_uris: [redirect_uri],
      post_logout_redirect_uris: ["com.example.app:/bye"],
    });
    const first = await newPage(script);
    await signIn(first.page, client, { redirect_uri });
    await first.page.getByRole("button", { name: "Deny" }).click();
    await expectToLeave(first.ended);

    const { page, ended } = await newPage(script);
    await signIn(page, client, { redirect_uri });
    await page.getByRole("button", { name: "Allow" }).click();
    await expectToLeave(ended);

    // The consent is remembered, so the sign-in form itself ends in the app.
    const again = await newPage(script);
    await signIn(again.page, client, { redirect_uri });
    await expectToLeave(again.ended);

    ended.length = 0;
    const bye = new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: "com.example.app:/bye" });
    await page.goto(`${shared().url}/oauth2/logout?${bye}`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expectToLeave(ended);
  },
);

test("only forms that lead to an application or a provider lack form-action; no page lacks the other rules", async () => {
  const client = await newClient();
  const { visitor } = await signedIn();
  const policyOf = async (path: string, headers = {}) =>
    (await fetch(shared().url + path, { headers })).headers.get("content-security-policy")!.split("; ");
  for (const path of [client.authorize(), "/device", "/settings/sign-in"]) {
    expect(await policyOf(path)).toEqual(expect.arrayContaining(["default-src 'none'", "base-uri 'none'"]));
    expect((await policyOf(path)).join()).not.toContain("form-action");
  }
  for (const path of ["/account", "/account/password", "/oauth2/logout"]) {
    expect(await policyOf(path, { cookie: visitor.cookieHeader })).toContain("form-action 'self'");
  }
});

test("a sign-in in a popup reaches the page that opened it", async () => {
  using app = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const script = url.includes("/callback")
        ? "opener.postMessage(location.search, location.origin); close();"
        : "onmessage = ({ data }) => { document.title = data; };";
      return new Response(`<title>App</title><script>${script}</script>`, { headers: { "content-type": "text/html" } });
    },
  });
  const redirect_uri = `http://localhost:${app.port}/callback`;
  const client = await newClient({ client_type: "public", redirect_uris: [redirect_uri] });
  const { page } = await newPage(true);
  await page.goto(`http://localhost:${app.port}/`);
  const address = shared().url + client.authorize({ redirect_uri, ...newPkce().challenge });
  const [popup] = await Promise.all([
    page.waitForEvent("popup"),
    page.evaluate((url) => void open(url, "sign-in", "width=500,height=700"), address),
  ]);
  await popup.getByLabel("User name").fill(client.tenant.admin.username);
  await popup.getByLabel("Password").fill(client.tenant.admin.password);
  await popup.getByRole("button", { name: "Sign in" }).click();
  const closed = popup.waitForEvent("close");
  await popup.getByRole("button", { name: "Allow" }).click();
  await closed;
  await until("the message", async () => (await page.title()).startsWith("?code="));
});
