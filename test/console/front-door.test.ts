// The address / and unknown paths.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { issuer } from "../world/client.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant, shared } from "../world/tenant.ts";

const browser = openWindows();

test("a browser is redirected from / to Settings, and sees a page for unknown paths", async () => {
  const { tenant } = await newTenant();
  await using visitor = await enterSettings(browser, tenant);
  const { page, open } = visitor;
  await open("/");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const answer = await page.goto(`${issuer()}/nothing/here`);
  expect([answer!.status(), answer!.headers()["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
  await page.getByRole("heading", { name: "Not Found", level: 1 }).waitFor();
});

test.each([
  [undefined, "application/json"],
  ["*/*", "application/json"],
  ["application/json", "application/json"],
  ["application/json, text/html;q=0.5", "application/json"],
  ["text/html;q=0, */*", "application/json"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
])("Accept %p gets %s", async (accept, type) => {
  for (const path of ["/nothing", "/Endpoint/rest/api/v1/Nothing", "/"]) {
    const headers = accept === undefined ? undefined : { accept };
    const answer = await fetch(shared().url + path, { headers, redirect: "manual" });
    expect(answer.headers.get("vary")).toContain("Accept");
    if (path === "/" && type === "text/html") {
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/settings"]);
      continue;
    }
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      404,
      expect.stringContaining(type),
    ]);
    if (type === "application/json") expect(await answer.json()).toMatchObject({ Type: "/Errors/Not Found" });
  }
});
