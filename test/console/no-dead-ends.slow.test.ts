// Every page leads to a next step, and typed input is not lost.

import { describe, expect, test } from "bun:test";
import type { NewTenant } from "../../server/identity/tenants/index.ts";
import { composedApp } from "../support/composed-app.ts";
import { answerOf, issuer, newClient, SPEC_PATH } from "../world/client.ts";
import { newTenant, shared } from "../world/tenant.ts";
import { type Form, type View, Visitor } from "../world/visitor.ts";

/** Pages for people, from the list of routes, without those for programs, such as the keys for providers. */
const PAGES = /^\/(settings|account|signin|signout|oauth2\/(authorize|logout)|device|consent)(\/|$)/;
const paths = [...new Set(composedApp().routes.map(({ path }) => path))]
  .filter((path) => PAGES.test(path) && !path.includes("*") && !path.endsWith("/jwks"))
  .map((path) => path.replaceAll(/:\w+/g, "1"));

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const ask = (path: string, init: RequestInit = {}) =>
  fetch(shared().url + path, { redirect: "manual", ...init, headers: { ...BROWSER, ...init.headers } });

/** A redirect, or a page with a link, a form or a button. */
async function leadsOn(response: Response): Promise<boolean> {
  if (response.status >= 300 && response.status < 400) return response.headers.get("location") !== null;
  return response.headers.get("content-type")!.startsWith("text/html") && hasWayOn(await response.text());
}

/** A downloaded file leaves the page open. */
const goesOn = ({ status, location, headers, html }: View) =>
  status < 500 && (location !== undefined || headers.has("content-disposition") || hasWayOn(html));

const hasWayOn = (html: string) => /<a [^>]*href="[^"#]|<form/.test(html);

/** A browser of an administrator in Settings. */
async function administrator(tenant: NewTenant, visitor = new Visitor(issuer())): Promise<Visitor> {
  const page = await visitor.open(`/settings?organisation=${tenant.tenantId}`);
  if (page.heading === "Sign in") await visitor.submit(page, tenant.admin);
  return visitor;
}

/** Every page that is linked from these, one of each kind. */
async function walk(visitor: Visitor, next: string[]): Promise<View[]> {
  const seen = new Set<string>();
  const views: View[] = [];
  for (const path of next) {
    const kind = path.replace(/[?#].*/, "").replaceAll(/\/([0-9a-f]{8}-[0-9a-f-]{27}|\d+)(?=\/|$)/g, "/1");
    if (seen.has(kind) || !paths.includes(kind)) continue;
    seen.add(kind);
    const view = await visitor.open(path, BROWSER);
    views.push(view);
    for (const [, href] of view.html.matchAll(/<a [^>]*href="([^"]+)"/g)) next.push(href!.replaceAll("&amp;", "&"));
  }
  return views;
}

describe.concurrent("every path of pages", () => {
  test("is tested", () => expect(paths.length).toBeGreaterThan(80));

  test.each(paths)("%s leads on, opened and posted without a cookie", async (path) => {
    const opened = await ask(path);
    expect(opened.status).not.toBe(405);
    expect(await leadsOn(opened)).toBe(true);
    for (const site of ["same-origin", undefined]) {
      const posted = await ask(path, {
        method: "POST",
        body: new URLSearchParams({ Name: "typed", csrf: "x", request: "/account" }),
        headers: site ? { "sec-fetch-site": site } : {},
      });
      expect(posted.status).toBeLessThan(500);
      expect(await leadsOn(posted)).toBe(true);
    }
  });

  test.each(paths)("%s accepts no other method from anyone", async (path) => {
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const answer = await ask(path, { method });
      expect({ method, status: answer.status }).toEqual({ method, status: 405 });
      expect(answer.headers.get("allow")).toMatch(/GET|POST/);
    }
  });

  test("leads on for a signed-in user, opened and posted without a form", async () => {
    const { tenant } = await newTenant();
    const visitor = await administrator(tenant);
    for (const path of paths.filter((one) => !/sign-?out|logout/.test(one))) {
      const opened = await visitor.open(path, BROWSER);
      const posted = await visitor.post(path, { Name: "typed" }, BROWSER);
      expect({ path, opened: goesOn(opened), posted: goesOn(posted) }).toEqual({ path, opened: true, posted: true });
      expect({ path, status: opened.status }).not.toEqual({ path, status: 405 });
    }
    expect((await visitor.open("/settings")).heading).toBe("Overview");
  });

  test("a form's address opens its page", async () => {
    const { tenant } = await newTenant();
    const visitor = await administrator(tenant);
    for (const [path, heading] of [
      ["/signin", "Your account"],
      ["/consent", "Your account"],
      ["/account/sessions/end", "Your account"],
      ["/signout", "Sign out"],
      ["/settings/sign-out", "Overview"],
      ["/settings/users/1/sessions", "Not Found"],
    ]) {
      expect({ path, heading: (await visitor.open(path!, BROWSER)).heading }).toEqual({ path, heading: heading! });
    }
  });
});

describe.concurrent("every form of Settings and of the account", () => {
  test("sent twice leads on, also by Back and again", async () => {
    const { tenant } = await newTenant();
    const visitor = await administrator(tenant);
    const forms = formsOf(await walk(visitor, ["/settings", "/account"]));
    expect(forms.length).toBeGreaterThan(30);
    for (const { action, fields } of forms) {
      for (const time of ["once", "again"]) {
        const sent = await visitor.post(action, fields, BROWSER);
        expect({ action, time, status: sent.status, leads: goesOn(sent) }).toMatchObject({ action, leads: true });
        if (["Signed out", "Sign in"].includes(sent.heading)) await administrator(tenant, visitor);
      }
    }
  });

  test("opened before a sign-in in another tab keeps its input", async () => {
    const { tenant } = await newTenant();
    const visitor = await administrator(tenant);
    const forms = formsOf(await walk(visitor, ["/settings", "/account"]));
    visitor.cookies.delete("gatehouse-session");
    await administrator(tenant, visitor);
    for (const { action, fields } of forms) {
      const { status, html } = await visitor.post(action, { ...fields, Note: "typed before" }, BROWSER);
      expect({ action, way: hasWayOn(html), done: status < 400 }).toEqual({ action, way: true, done: false });
      if (action.startsWith("/settings"))
        expect({ action, kept: html.includes("typed before") }).toMatchObject({ kept: true });
    }
  });
});

/** One form of each kind. A form that ends the session must not prevent the test of the others. */
function formsOf(views: View[]): Form[] {
  const byAction = new Map(views.flatMap(({ forms }) => forms).map((form) => [form.action, form]));
  return [...byAction.values()].filter(({ action }) => !action.endsWith("/sign-out"));
}

describe.concurrent("a form within an authorization request", () => {
  test("without its cookie is shown again with the user name, and continues the request", async () => {
    const client = await newClient({ first_party: true });
    for (const address of [client.authorize(), client.authorize({}, SPEC_PATH)]) {
      const visitor = new Visitor();
      const page = await visitor.open(address);
      visitor.cookies.clear();
      const again = await visitor.submit(page, { username: "ana", password: "hunter2" });
      expect(again).toMatchObject({ status: 403, heading: "Sign in" });
      expect(again.forms[0]!.fields).toMatchObject({ username: "ana", request: page.forms[0]!.fields.request! });
      expect(again.html).not.toContain("hunter2");
      expect(answerOf(await visitor.submit(again, client.tenant.admin)).code).toBeString();
    }
  });

  test("in the first of two tabs works after the second has signed in", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    const first = await visitor.open(client.authorize());
    await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    for (const time of ["once", "again"]) {
      const { code } = answerOf(await visitor.submit(first, client.tenant.admin));
      expect({ time, code }).toEqual({ time, code: expect.any(String) });
    }
  });

  test("for consent is shown again after another tab has signed in, and then continues", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const first = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    await visitor.submit(await visitor.open(client.authorize({ prompt: "login" })), client.tenant.admin);
    const again = await visitor.submit(first, { decision: "allow" });
    expect(again).toMatchObject({ status: 403, heading: first.heading });
    expect(answerOf(await visitor.submit(again, { decision: "allow" })).code).toBeString();
  });

  test.each(["/device", "/account"])("%s keeps its input when its cookie is missing", async (path) => {
    const { clientId } = await newTenant();
    const visitor = new Visitor();
    const page = await visitor.open(path === "/device" ? path : `/account?client_id=${clientId}`);
    visitor.cookies.clear();
    const typed = path === "/device" ? { user_code: "BCDF-GHJK" } : { username: "ana" };
    const again = await visitor.submit(page, { ...typed, ...(path !== "/device" && { password: "hunter2" }) });
    expect(again).toMatchObject({ status: 403, heading: page.heading });
    expect(again.forms[0]!.fields).toMatchObject(typed);
    expect(again.html).not.toContain("hunter2");
  });
});

test("the return path in a form is on this host only", async () => {
  for (const foreign of ["//evil.example/", "https://evil.example/", "/\\evil.example"]) {
    const body = new URLSearchParams({ request: foreign, csrf: "gone" });
    expect(await (await ask("/signin", { method: "POST", body })).text()).not.toContain("evil.example");
  }
});

test("a form of Settings sent after the session has ended is kept, except its secrets", async () => {
  const typed = { URL: "https://receiver.example/", Secret: "s3cret-typed", Name: "kept" };
  const response = await ask("/settings/webhooks/add", { method: "POST", body: new URLSearchParams(typed) });
  const page = await response.text();
  expect(response.status).toBe(401);
  expect(page).toContain('value="kept"');
  expect(page).not.toContain("s3cret-typed");
  expect(page).toContain("Secret again");
});
