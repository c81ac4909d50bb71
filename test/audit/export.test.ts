// The audit log as a file.

import { describe, expect, test } from "bun:test";
import { API, type Api, expectError } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { plantEntries } from "../world/rows.ts";
import { newMember, newTenant, request, savePolicy } from "../world/tenant.ts";

const PATH = "/AuditEvent/Export";

/** Makes and deletes a role, by a client with this user agent. */
async function leaveTrace(caller: Api, userAgent: string): Promise<void> {
  const headers = { "user-agent": userAgent };
  const { body } = await caller.patch("/Role", { Name: `role of ${crypto.randomUUID()}` }, headers);
  await caller.remove(`/Role/${body.Id}`, headers);
}

/** RFC 4180 as spreadsheets parse it: all cells are quoted. */
function cellsOf(csv: string): string[][] {
  expect(csv.endsWith("\r\n")).toBe(true);
  return csv
    .slice(0, -2)
    .split("\r\n")
    .map((line) => [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell]) => cell!.replaceAll('""', '"')));
}

describe.concurrent("an export", () => {
  test("as CSV has a header and one line per row of the list", async () => {
    const caller = await newTenant();
    await leaveTrace(caller, 'a "quoted", comma');
    const answer = await caller.get(PATH);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(answer.headers.get("content-disposition")).toMatch(
      /^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const [head, ...rows] = cellsOf(answer.body);
    expect(head!.slice(0, 6)).toEqual(["Id", "OccurredOn", "Kind", "Outcome", "ActorType", "ActorId"]);
    const log = await logOf(caller);
    expect(rows).toEqual(
      log.map((event) => [
        event.Id,
        event.OccurredOn,
        event.Kind,
        event.Outcome,
        "Application",
        caller.clientId,
        caller.clientId,
        "127.0.0.1",
        'a "quoted", comma',
        "Role",
        event.Subject!.Id,
        JSON.stringify(event.Details),
        event.RequestKey,
      ]),
    );
  });

  test("as NDJSON has the list's records, filtered as the list is", async () => {
    const caller = await newTenant();
    await leaveTrace(caller, "x");
    const { body, headers } = await caller.get(`${PATH}?Format=NDJSON&Kind=Role.Deleted&From=2026-01-01&To=`);
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    const records = body
      .trimEnd()
      .split("\n")
      .map((line: string) => JSON.parse(line));
    expect(records).toEqual(await logOf(caller, "Kind=Role.Deleted"));
    expect(records).toHaveLength(1);
    expect((await caller.get(`${PATH}?Format=NDJSON&Kind=SignOut`)).body).toBe("");
  });

  test("of more rows than one read returns has each row once", async () => {
    const caller = await newTenant();
    await plantEntries(caller.tenantId, 1_500);
    const { body } = await caller.get(`${PATH}?Format=NDJSON`);
    const ids = body
      .trimEnd()
      .split("\n")
      .map((line: string) => JSON.parse(line).Id);
    expect(ids).toHaveLength(1500);
    expect(new Set(ids).size).toBe(1500);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  test("has no cell that a spreadsheet evaluates", async () => {
    const caller = await newTenant();
    const wild = ['=HYPERLINK("http://evil.example")', "+1", "-1", "@SUM(1)", " =1", "\t=1", "＝1"];
    for (const [index, userAgent] of wild.entries()) {
      await plantEntries(caller.tenantId, 1, { userAgent, ago: `${index} seconds` });
    }
    const [, ...rows] = cellsOf((await caller.get(PATH)).body);
    expect(rows.map((row) => row[8])).toEqual(wild.map((userAgent) => `'${userAgent}`));
    expect(rows.flat().filter((cell) => /^[=+@-]/.test(cell))).toEqual([]);
  });

  test("contains permitted rows only, and requires its scope", async () => {
    const caller = await newTenant();
    await leaveTrace(caller, "x");
    const reader = await newMember(caller);
    const name = "Failures to all";
    const created = `resource is AuditEvent) when { resource.Kind == "Role.Created" }`;
    await savePolicy(caller, name, `permit (principal, action == Action::"Settings:Read", ${created};`);
    const { body } = await reader.get(`${PATH}?Format=NDJSON`);
    const kinds = body
      .trimEnd()
      .split("\n")
      .map((line: string) => JSON.parse(line).Kind);
    expect(kinds).toEqual(["Role.Created"]);
    const other = await caller.withScope("AccessManager:Read");
    expectError(await other.get(PATH), 403, "Permission", /lacks the scope Settings:Read/);
    expect((await request("GET", API + PATH)).status).toBe(401);
  });

  test("that is malformed or too long is Bad Input instead of a file", async () => {
    const caller = await newTenant();
    for (const [query, says] of [
      ["Format=XLS", /^Format must be one of CSV, NDJSON\.$/],
      ["Limit=10", /^An export has no pages/],
      ["Kind=Lost", /^Kind must be one of/],
      ["ActorId=7", /^ActorId needs ActorType/],
    ] as const) {
      expectError(await caller.get(`${PATH}?${query}`), 400, "Bad Input", says);
    }
    await plantEntries(caller.tenantId, 100_001);
    expectError(await caller.get(PATH), 400, "Bad Input", /^An export has at most 100000 rows/);
    expect((await caller.send("HEAD", `${PATH}?Kind=SignIn.Failed`)).status).toBe(200);
  });
});
