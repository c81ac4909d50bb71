// The same in a real browser, which enforces the pages' policies.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { until } from "../world/api.ts";
import { type Client, newClient, newPkce, setCredentials } from "../world/client.ts";
import { setRows } from "../world/rows.ts";
import { request, shared } from "../world/tenant.ts";

const browser = openWindows();

/** The application: its callback keeps the request, and can redirect the browser to another origin. */
function startApplication(options: { goesOnTo?: string } = {}) {
  const got: { method: string; answer: Record<string, string> }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (asked) => {
      const url = new URL(asked.url);
      if (url.pathname !== "/callback")
        return new Response("<h1>Home</h1>", { headers: { "content-type": "text/html" } });
      const text = asked.method === "POST" ? await asked.text() : url.search;
      got.push({ method: asked.method, answer: Object.fromEntries(new URLSearchParams(text)) });
      if (options.goesOnTo) return Response.redirect(options.goesOnTo, 302);
      return new Response("<h1>Welcome back</h1>", { headers: { "content-type": "text/html" } });
    },
  });
  return {
    got,
    /** A different name than Gatehouse's, so it is a different site. */
    callback: `http://localhost:${server.port}/callback`,
    home: `http://127.0.0.1:${server.port}/home`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

async function clientOf(callback: string): Promise<Client> {
  return newClient({ redirect_uris: [callback], post_logout_redirect_uris: [callback.replace("callback", "bye")] });
}

/** @returns a page and its console errors */
async function newPage(javaScriptEnabled: boolean): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // An info message means that the test types before the page sets the cursor.
    if (message.type() !== "info" && /security policy|refused|blocked/i.test(message.text())) {
      complaints.push(message.text());
    }
  });
  return { page, complaints };
}

async function signIn(page: Page, { tenant }: Client): Promise<void> {
  await page.getByLabel("User name").fill(tenant.admin.username);
  await page.getByLabel("Password").fill(tenant.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("a person signs in after a mistake, allows, is recognised, and signs out", async () => {
    using app = startApplication();
    const client = await clientOf(app.callback);
    const { page, complaints } = await newPage(javaScriptEnabled);
    const { verifier, challenge } = newPkce();
    const fields = { redirect_uri: app.callback, scope: "openid profile email", ...challenge };
    await page.goto(shared().url + client.authorize(fields));
    expect(await page.getByRole("heading", { name: "Sign in" }).count()).toBe(1);
    expect(await page.locator('form[action="/signin"]').getByRole("button").count()).toBe(1);

    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password").fill("a slip");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Wrong user name or password.").waitFor();
    expect(await page.getByLabel("User name").inputValue()).toBe("admin");
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    expect(await page.getByLabel("Password").getAttribute("autofocus")).not.toBeNull();

    await signIn(page, client);
    await page.getByRole("heading", { name: "Allow access" }).waitFor();
    await page.getByText("see your e-mail address").waitFor();
    await setRows("applications", { id: client.id }, { name: "Somebody else's" });
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("alert").getByText("The request has changed since this page was shown.").waitFor();
    if (javaScriptEnabled) await inspect(page, "consent changed");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Welcome back").waitFor();

    const { code } = app.got[0]!.answer;
    const token = await client.token(code!, { redirect_uri: app.callback, code_verifier: verifier });
    expect(token.status).toBe(200);
    const headers = { authorization: `Bearer ${token.body.access_token}` };
    expect((await request("GET", "/oauth2/userinfo", { headers })).body.preferred_username).toBe("admin");
    expect((await client.refresh(token.body.refresh_token)).status).toBe(200);

    await page.goto(shared().url + client.authorize({ ...fields, prompt: "none" }));
    await page.getByText("Welcome back").waitFor();
    expect(app.got[1]!.answer.code).toBeString();

    await page.goto(`${shared().url}/oauth2/logout?client_id=${client.id}`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Signed out" }).waitFor();
    await page.goto(shared().url + client.authorize(fields));
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("form_post reaches the application, automatically or by its button", async () => {
    using app = startApplication();
    const client = await clientOf(app.callback);
    const { page, complaints } = await newPage(javaScriptEnabled);
    const fields = {
      redirect_uri: app.callback,
      response_mode: "form_post",
      response_type: "code id_token",
      nonce: "n",
    };
    await page.goto(shared().url + client.authorize(fields));
    await signIn(page, client);
    await page.getByRole("button", { name: "Allow" }).click();
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Welcome back").waitFor();
    expect(app.got).toHaveLength(1);
    expect(app.got[0]).toMatchObject({ method: "POST", answer: { state: "some state" } });
    expect(decodeJwt(app.got[0]!.answer.id_token!).nonce).toBe("n");
    expect(complaints).toEqual([]);
  });
});

test("denying sends access_denied to the application", async () => {
  using app = startApplication();
  const client = await clientOf(app.callback);
  const { page } = await newPage(true);
  await page.goto(shared().url + client.authorize({ redirect_uri: app.callback }));
  await signIn(page, client);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Welcome back").waitFor();
  expect(app.got[0]!.answer).toMatchObject({ error: "access_denied", state: "some state" });
});

test("an application's callback may redirect to another origin, though a form began it", async () => {
  using app = startApplication();
  using first = startApplication({ goesOnTo: app.home });
  const client = await clientOf(first.callback);
  await setCredentials(client.id, { first_party: true });
  const { page, complaints } = await newPage(true);
  for (const response_mode of ["query", "form_post"]) {
    await page.goto(shared().url + client.authorize({ redirect_uri: first.callback, response_mode, prompt: "login" }));
    await signIn(page, client);
    await page.getByRole("heading", { name: "Home" }).waitFor();
  }
  expect(first.got.map(({ method }) => method)).toEqual(["GET", "POST"]);
  expect(complaints).toEqual([]);
});

test("an application's own form starts a sign-in from another site, and finds the session", async () => {
  using app = startApplication();
  const client = await clientOf(app.callback);
  await setCredentials(client.id, { first_party: true });
  const { page } = await newPage(true);
  await page.goto(shared().url + client.authorize({ redirect_uri: app.callback }));
  await signIn(page, client);
  await page.getByText("Welcome back").waitFor();
  const [path, query] = client.authorize({ redirect_uri: app.callback }).split("?");
  const inputs = [...new URLSearchParams(query)].map(([name, value]) => `<input name="${name}" value="${value}">`);
  await page.setContent(
    `<form method="post" action="${shared().url}${path}">${inputs.join("")}<button>Go</button></form>`,
  );
  await page.getByRole("button", { name: "Go" }).click();
  await until("a second answer", () => app.got.length === 2);
  expect(app.got[1]!.answer.code).toBeString();
});
