// Unreadable queries and ambiguous charsets are rejected at every address.

import { expect, test } from "bun:test";
import { composedApp } from "../support/composed-app.ts";
import { API } from "../world/api.ts";
import { operationsOf, readDocument } from "../world/documented.ts";
import { newTenant, request, shared } from "../world/tenant.ts";

/** A logout never ends in an error (test/authorize/logout.test.ts). */
const SIGNS_OUT = "/oauth2/logout";
const paths = [...new Set(composedApp().routes.map(({ path }) => path))]
  .filter((path) => path !== SIGNS_OUT)
  .map((path) => path.replaceAll(/:\w+/g, "1").replace("*", "x"));
/** Latin-1, half a character, and invalid percent-encoding. */
const UNREADABLE = ["state=%E9", "state=%C3", "state=%zz", "state=%", "%FF=1"];
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

test("every path is tested", () => expect(paths.length).toBeGreaterThan(150));

test.concurrent.each(paths)("%s rejects queries that are not percent-encoded UTF-8", async (path) => {
  for (const query of UNREADABLE) {
    const answer = await request("GET", `${path}?${query}`);
    const { error, Type } = answer.body;
    expect({ path, query, status: answer.status, body: JSON.stringify(answer.body) }).toEqual({
      ...{ path, query, status: 400, body: expect.stringContaining("The query is not percent-encoded UTF-8.") },
    });
    expect(error ?? Type).toMatch(/^(invalid_request|Bad Input|\/Errors\/Bad Input)$/);
    if (path.startsWith(API)) expect(Type).toBe("/Errors/Bad Input");

    const page = await fetch(`${shared().url}${path}?${query}`, { headers: { accept: BROWSER }, redirect: "manual" });
    expect({ path, status: page.status }).toEqual({ path, status: 400 });
    expect(await page.text()).toContain("The query is not percent-encoded UTF-8.");
  }
});

test("browsers get an error page", async () => {
  const answer = await fetch(`${shared().url}/oauth2/authorize?state=%E9`, { headers: { accept: BROWSER } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
});

test("UTF-8 is accepted, with plus for space and a lone +", async () => {
  const { status, body } = await (await newTenant()).get("/User?Username=Zo%C3%AB+%2B+x");
  expect({ status, Items: body.Items }).toEqual({ status: 200, Items: [] });
});

test("every operation rejects JSON with a repeated charset", async () => {
  const caller = await newTenant();
  const document = await readDocument();
  const takers = operationsOf(document).filter(
    ({ path, operation }) => path.startsWith(API) && operation.requestBody?.content["application/json"],
  );
  expect(takers.length).toBeGreaterThan(20);
  for (const { path, method } of takers) {
    const headers = {
      authorization: `Bearer ${caller.token}`,
      "content-type": "application/json; charset=utf-8; charset=iso-8859-1",
    };
    const { status, body } = await request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1"), {
      headers,
      body: "{}",
    });
    expect({ path, method, status, Errors: body.Errors }).toEqual({
      ...{ path, method, status: 400, Errors: ["Content-Type names more than one charset."] },
    });
  }
});

test("every operation rejects a query parameter that it does not have", async () => {
  const { token } = await newTenant();
  const operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith(API));
  expect(operations.length).toBeGreaterThan(80);
  for (const { path, method, operation } of operations) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = operation.requestBody && "{}";
    const target = `${path.replaceAll(/\{\w+\}/g, "1")}?DryRuns=true`;
    const { status, body: answer } = await request(method.toUpperCase(), target, { headers, body });
    expect({ path, method, status, Errors: answer.Errors }).toEqual({
      ...{ path, method, status: 400 },
      Errors: [expect.stringMatching(/^DryRuns is not a (filter|parameter here)\. /)],
    });
  }
});
