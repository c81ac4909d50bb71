// Whatever a browser can reach leads on, and what was typed is not lost.

import { describe, expect, test } from "bun:test";
import { Visitor } from "../authorize/visitor.ts";
import { composedApp } from "../openapi/app.ts";
import { newTenant, shared } from "../support/tenant.ts";

/** Pages of people, as the routes have them: not of programs. */
const PAGES = /^\/(settings|account|signin|signout|oauth2\/(logout|device)|consent)/;
const paths = [...new Set(composedApp().routes.map(({ path }) => path))]
  .filter((path) => PAGES.test(path) && !path.includes("*"))
  .map((path) => path.replaceAll(/:\w+/g, "1"));

const ask = (path: string, init: RequestInit = {}) =>
  fetch(shared().url + path, { redirect: "manual", ...init, headers: { accept: "text/html", ...init.headers } });

/** A redirect, or a page with a link, a form or a button. */
async function leadsOn(response: Response): Promise<boolean> {
  if (response.status >= 300 && response.status < 400) return response.headers.get("location") !== null;
  const type = response.headers.get("content-type") ?? "";
  return !type.startsWith("text/html") || /<a [^>]*href="[^"#]|<form/.test(await response.text());
}

describe.concurrent("every path of people", () => {
  test("is walked", () => expect(paths.length).toBeGreaterThan(60));

  test.each(paths)("%s leads on, opened and posted without a cookie", async (path) => {
    expect(await leadsOn(await ask(path))).toBe(true);
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
});

test("a form whose cookie is gone leads back to the page that it was on", async () => {
  const api = await newTenant();
  const target = `/account?client_id=${api.clientId}`;
  const visitor = new Visitor(shared().url);
  await visitor.open(target);
  const page = await (
    await ask("/signin", {
      method: "POST",
      body: new URLSearchParams({ request: target, csrf: "gone", username: "ana", password: "hunter2" }),
    })
  ).text();
  expect(page).toContain(`href="${target}"`);
  expect(page).not.toContain("hunter2");
  for (const foreign of ["//evil.example/", "https://evil.example/", "/\\evil.example"]) {
    const body = new URLSearchParams({ request: foreign, csrf: "gone" });
    expect(await (await ask("/signin", { method: "POST", body })).text()).not.toContain("evil.example");
  }
});

test("a form of Settings that is sent after the session has ended is kept, but for its secrets", async () => {
  const typed = { URL: "https://receiver.example/", Secret: "s3cret-typed", Name: "kept" };
  const response = await ask("/settings/webhooks/add", { method: "POST", body: new URLSearchParams(typed) });
  const page = await response.text();
  expect(response.status).toBe(401);
  expect(page).toContain('value="kept"');
  expect(page).not.toContain("s3cret-typed");
  expect(page).toContain("Secret, once more");
});
