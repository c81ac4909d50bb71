// SPEC.md sentence by sentence: spec.md lists each statement, table row and rule with its tests. Tests are in the
// folder of their feature; the others are below.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { id } from "../../server/records/fields.ts";
import { record } from "../../server/records/index.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { API, expectError, TOKEN_PATH } from "../world/api.ts";
import { CALLBACK, newClient, SPEC_PATH } from "../world/client.ts";
import { basic, expectTokenError } from "../world/grants.ts";
import { payloadsOf } from "../world/rows.ts";
import { newTenant, request, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

test("every statement of SPEC.md has existing tests", () => {
  const walk = readWalk();
  expect(walk.size).toBeGreaterThan(100);
  expect([...walk].filter(([, tests]) => tests.length === 0)).toEqual([]);
  expect([...walk].flatMap(([says, tests]) => tests.filter((one) => !isThere(one)).map((one) => [says, one]))).toEqual(
    [],
  );
});

/** The tests of each statement, by file and name. */
function readWalk(): Map<string, string[]> {
  const walk = new Map<string, string[]>();
  let [section, tests]: [string, string[]] = ["", []];
  for (const line of readFileSync(join(import.meta.dir, "spec.md"), "utf8").split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    else if (line.startsWith("- ")) {
      tests = [];
      walk.set(`${section}: ${line.slice(2)}`, tests);
    } else if (line.startsWith("  - ")) tests.push(line.slice(4));
  }
  return walk;
}

/** Finds renamed and removed tests only; their results are not checked here. */
function isThere(name: string): boolean {
  const [file, title] = name.split(".test.ts: ") as [string, string];
  const text = readFileSync(join(import.meta.dir, "..", `${file}.test.ts`), "utf8");
  return [`"${title}"`, `\`${title}\``].some((quoted) => text.includes(quoted));
}

test.concurrent("the authorization code grant requires code, client_id, client_secret and grant_type", async () => {
  const client = await newClient();
  const code = await client.code(new Visitor(), {}, SPEC_PATH);
  for (const [name, word] of [
    ["client_id", "Unauthorized"],
    ["client_secret", "Unauthorized"],
    ["grant_type", "Bad Input"],
    ["code", "Bad Input"],
  ] as const) {
    const answer = await client.token(code, { [name]: undefined }, TOKEN_PATH);
    expectTokenError(answer, 400, word, new RegExp(`${name} is missing`));
  }
  expect((await client.token(code, { redirect_uri: undefined }, TOKEN_PATH)).status).toBe(200);
});

test.concurrent("the authorization code grant accepts the client in the form and by Basic", async () => {
  const client = await newClient();
  const visitor = new Visitor();
  const byForm = await client.token(await client.code(visitor, {}, SPEC_PATH), {}, TOKEN_PATH);
  const form = { grant_type: "authorization_code", code: await client.code(visitor, {}, SPEC_PATH) };
  const byBasic = await request("POST", TOKEN_PATH, {
    body: new URLSearchParams({ ...form, redirect_uri: CALLBACK }),
    headers: basic(client.id, client.tenant.client.clientSecret),
  });
  expect([byForm.status, byBasic.status]).toEqual([200, 200]);
});

test.concurrent("input that cannot be converted or does not fit the structure is Bad Input, titled Bad Request", async () => {
  const caller = await newTenant();
  const refused = [
    await caller.patch("/Application", { Is_Active: "yes" }),
    await caller.patch("/Application", { Colour: "red" }),
    await caller.patch("/Application", "text"),
  ];
  for (const answer of refused) {
    expectError(answer, 400, "Bad Input");
    expect(answer.body.Title).toBe("Bad Request");
  }
  expectError(await caller.get("/User/x"), 400, "Bad Input");
});

test.concurrent("a payload's Version is a string of two or three numeric parts", async () => {
  const caller = await newTenant();
  await caller.made("Application", { Name: "one" });
  const [event] = await payloadsOf(caller.tenantId);
  expect(event!.payload.Version).toMatch(/^\d+\.\d+(\.\d+)?$/);
});

test.concurrent("an internal failure is 500 with the error record, without internals", async () => {
  // An entity without a table.
  const ghost = record("Ghost", {
    description: "Nobody has seen one.",
    table: "ghosts",
    fields: { Id: id("int32", { description: "Its number." }) },
    identifiers: [],
  });
  await using app = startPrivateApp({}, "info", shared(), { entities: createRegistry([...ENTITIES, ghost]) });
  const api = await newTenant(app);
  const { status, body } = await api.call("GET", "/Ghost/1");
  expect(status).toBe(500);
  expect(body).toEqual({
    Errors: [expect.stringMatching(/Internal error/)],
    Type: "/Errors/Internal Server Error",
    Title: "Internal Server Error",
    StatusCode: 500,
    Instance: `${API}/Ghost/1`,
    RequestKey: expect.stringMatching(/./),
  });
  expect(JSON.stringify(body)).not.toContain("ghosts");
});
