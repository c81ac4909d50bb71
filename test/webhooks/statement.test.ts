// A statement tells how each delivery of a period ended: as figures, as a file, and as a signed JWT.

import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TenantId } from "../../server/platform/ids.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { printedBy } from "../support/packages.ts";
import { blockMarked, ROOT } from "../support/pages.ts";
import { type Api, expectError, ok, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { startReceiver } from "../world/receiver.ts";
import { fill, removeRows } from "../world/rows.ts";
import { db, newMember, newTenant, savePolicy } from "../world/tenant.ts";

const DAY_MS = 86_400_000;
const OUTCOMES = ["FirstAttempt", "Retried", "SentAgain", "Open", "Held", "Exhausted", "Cancelled"] as const;
type Outcome = (typeof OUTCOMES)[number];

interface Figure {
  Count: number;
  FirstEvent: string | null;
  LastEvent: string | null;
  FirstReached: string | null;
  LastReached: string | null;
}
type Statement = Record<Outcome | "Owed", Figure> & { AsOf: string; Closed: boolean; Complete: boolean };

const SINCE = "2020-01-01";
const lately = () => `From=${new Date(Date.now() - DAY_MS).toISOString()}`;
const read = (api: Api, query = ""): Promise<Statement & Record<string, unknown>> =>
  ok(api.get(`/WebhookStatement?${lately()}${query}`));
const countsOf = (statement: Statement) =>
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, statement[outcome].Count]).filter(([, count]) => count !== 0));
const sumOf = (statement: Statement) => OUTCOMES.reduce((sum, outcome) => sum + statement[outcome].Count, 0);

/** The file's rows, by its header. */
async function rowsOf(api: Api, query: string): Promise<Record<string, string>[]> {
  const text: string = await ok(api.get(`/WebhookStatement/Export?${lately()}${query}`));
  const [header, ...lines] = text.trimEnd().split("\r\n");
  const cells = (line: string) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell!);
  return lines.map((line) => Object.fromEntries(cells(header!).map((name, index) => [name, cells(line)[index]!])));
}

/** A connection with one event of each outcome, with their EventIds. */
async function everyOutcome() {
  const api = await newTenant();
  const reader = await newMember(api);
  let isUp = false;
  const answers: Record<string, (count: number) => number> = {
    retried: (count) => (count === 1 ? 503 : 200),
    again: () => (isUp ? 200 : 500),
    exhausted: () => 500,
  };
  const receiver = startReceiver(({ payload, count }) => answers[payload.Data.Description as string]?.(count) ?? 200);
  // A busy machine answers late.
  const { Id } = await api.connect(receiver.url, { Name: "shop", TimeoutMs: 30_000 });
  const change = (Description: string) => api.settledChange({ Name: "Gate", Description });
  const ids = new Map<string, string>();
  for (const name of ["first", "retried", "again", "exhausted"]) ids.set(name, (await change(name)).EventId);
  isUp = true;
  await api.redeliver(ids.get("again")!);
  await until("it to be delivered", async () => (await api.event(ids.get("again")!)).State === "Delivered");
  await api.setState(Id, "Paused");
  ids.set("cancelled", (await change("cancelled")).EventId);
  const Before = new Date(Date.now() + 1).toISOString();
  await until("it to be discarded", async () => {
    await ok(api.call("POST", `/WebhookConnection/${Id}/Discard`, { Before }));
    return (await api.event(ids.get("cancelled")!)).State === "Cancelled";
  });
  ids.set("held", (await change("held")).EventId);
  return { api, reader, id: Id, receiver, ids, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

describe.concurrent("a statement", () => {
  test("counts each delivery once, with its times, for one connection and for all, as a file and as a JWT", async () => {
    await using scene = await everyOutcome();
    const { api, reader, id, ids, receiver } = scene;
    const ofOne = `&ConnectionId=${id}`;
    const other = await api.connect(receiver.url, { Name: "archive", Entities: ["Department"], TimeoutMs: 30_000 });
    await api.made("Department", { Name: "Sales" });
    await api.settledEvent();
    await api.settled(await api.ping(other.Id));

    const statement = await read(api, ofOne);
    const one = { FirstAttempt: 1, Retried: 1, SentAgain: 1, Held: 1, Exhausted: 1, Cancelled: 1 };
    expect(countsOf(statement)).toEqual(one);
    expect(statement).toMatchObject({
      ConnectionId: id,
      Complete: true,
      Closed: false,
      Open: { Count: 0, FirstEvent: null },
    });
    expect(statement.Owed.Count).toBe(6);
    const { Timestamp, Deliveries } = await api.event(ids.get("again")!);
    const arrived = Deliveries[0]!.Attempts.at(-1)!;
    const reached = new Date(Date.parse(arrived.StartedOn) + arrived.DurationMs).toISOString();
    expect(statement.SentAgain).toEqual({
      ...{ Count: 1, FirstEvent: Timestamp, LastEvent: Timestamp, FirstReached: reached, LastReached: reached },
    });
    expect(statement.Owed).toMatchObject({
      FirstEvent: (await api.event(ids.get("first")!)).Timestamp,
      LastEvent: (await api.event(ids.get("held")!)).Timestamp,
    });

    const all = await read(api);
    expect(countsOf(all)).toEqual({ ...one, FirstAttempt: 2 });
    const none = { Open: 0, Held: 0, Exhausted: 0, Cancelled: 0 };
    expect(all.Connections).toEqual([
      { ConnectionId: id, ConnectionName: "shop", Owed: 6, Delivered: 3, ...none, Held: 1, Exhausted: 1, Cancelled: 1 },
      { ConnectionId: other.Id, ConnectionName: "archive", Owed: 1, Delivered: 1, ...none },
    ]);

    const rows = await rowsOf(api, ofOne);
    const expected = { first: "FirstAttempt", retried: "Retried", again: "SentAgain", exhausted: "Exhausted" };
    const outcomes = Object.entries({ ...expected, cancelled: "Cancelled", held: "Held" });
    expect(rows.map(({ EventId, Outcome }) => [EventId, Outcome])).toEqual(
      outcomes.map(([name, outcome]) => [ids.get(name)!, outcome]),
    );
    expect(rows.map(({ Attempts, Reason }) => `${Attempts} ${Reason}`)).toEqual([
      "1 ",
      "2 ",
      "4 ",
      "3 500",
      "0 ",
      "0 ",
    ]);
    expect(await rowsOf(api, "")).toHaveLength(7);

    await verified(api, id, (await api.event(ids.get("first")!)).Timestamp);
    await api.setState(id, "Active");
    await until("the held one", async () => (await read(api, ofOne)).FirstAttempt.Count === 2);
    await judged(api, reader, id, ids);
  });

  test("adds up at every moment of a burst", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ count }) => (count > 1 ? 200 : 503));
    for (const Name of ["one", "two", "three"]) await api.connect(receiver.url, { Name });
    const records = Array.from({ length: 20 }, (_, index) => ({ Name: `Gate ${index}` }));
    for (const record of records) await ok(api.patch("/Application", record));
    await until("all to end", async () => {
      const statement = await read(api);
      expect([statement.Owed.Count, sumOf(statement)]).toEqual([60, 60]);
      return statement.Open.Count === 0;
    });
    expect((await read(api)).Owed.LastEvent).toBe((await api.newestEvent()).Timestamp);
  });

  test("is refused for a period that is too long, empty, not kept, or has too many deliveries to judge", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://hooks.example/", { Name: "shop" });
    const refused = async (query: string, says: RegExp, by = api) => {
      for (const what of ["", "/Certificate", "/Export"])
        expectError(await by.get(`/WebhookStatement${what}?${query}`), 400, "Bad Input", says);
    };
    const { From, To } = await ok(api.get("/WebhookStatement"));
    expect(Date.parse(To) - Date.parse(From)).toBe(3_600_000);
    await refused(`From=${SINCE}`, /at most 31 days/);
    await refused(`From=2026-01-31T12:00:00Z&To=2026-01-31T12:00:00Z`, /From must be before To/);
    await refused(`From=2026-01-01&To=2026-01-02&ConnectionId=7`, /ConnectionId must be/);
    const past = new Date(Date.now() - 3 * DAY_MS).toISOString();
    await ok(api.get(`/WebhookStatement?From=${past}`));
    await ok(api.patch("/TenantSettings", { RetentionDays: 2 }));
    await refused(`From=${past}`, /events before .* may have been removed/);
    const unknown = "0197c6f1-90ab-7cde-8f01-23456789abcd";
    expectError(await api.get(`/WebhookStatement?${lately()}&ConnectionId=${unknown}`), 404, "Not Found");

    const tenantId = api.tenantId as TenantId;
    await fill(db(), { tenantId, connectionIds: [Id], events: 10_001, spanMs: 3_600_000 });
    expect(await read(api)).toMatchObject({ Owed: { Count: 10_001 }, FirstAttempt: { Count: 10_001 } });
    await savePolicy(
      api,
      "Some",
      'forbid (principal, action, resource is WebhookEvent) when { resource.RecordId == "7" };',
    );
    expectError(await api.get(`/WebhookStatement?${lately()}`), 400, "Bad Input", /at most 10,000 deliveries/);
  });
});

/** The program of the documents verifies the statement of one event. */
async function verified(api: Api, id: string, From: string): Promise<void> {
  const To = new Date(Date.parse(From) + 1).toISOString();
  const query = `From=${From}&To=${To}&ConnectionId=${id}`;
  const { Certificate } = await ok(api.get(`/WebhookStatement/Certificate?${query}`));
  const folder = temporaryDirectory("statement");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const { text } = blockMarked("run: statement");
  writeFileSync(join(folder, "statement.mjs"), text.replaceAll("https://id.example.com", issuer()));
  const run = (jwt: string) => printedBy(["bun", "statement.mjs", jwt], folder);
  const [head, claims, signature] = Certificate.split(".");
  const told = JSON.parse(Buffer.from(claims, "base64url").toString());
  // On a slow machine, the period is already closed.
  const ending = told.Closed ? ", everything arrived" : "";
  expect(await run(Certificate)).toBe(`${From} to ${To}: 1 of 1 delivered${ending}\n`);
  const changed = { ...told, Closed: !told.Closed };
  const forged = Buffer.from(JSON.stringify(changed)).toString("base64url");
  await expect(run(`${head}.${forged}.${signature}`)).rejects.toThrow(/signature/);
  expect(changed).toMatchObject({ tenant_id: api.tenantId, ConnectionId: id, Owed: { Count: 1 } });
}

/** A statement counts only what policies show, and says so; without payloads too. */
async function judged(api: Api, reader: Api, id: string, ids: Map<string, string>): Promise<void> {
  const whole = await read(api);
  const permit = (when: string) =>
    savePolicy(
      api,
      "Reader",
      `permit (principal == Client::"${reader.clientId}", action == Action::"Webhooks:Read", resource) when { ${when} };`,
    );
  const figures = ({ AsOf: _, Complete: __, ...rest }: Statement) => ({ ...rest, From: "", To: "" });

  await permit('!(resource is WebhookEvent) || resource.EventType == "Updated" || resource.EventType == "Created"');
  const limited = await read(reader);
  expect(limited.Complete).toBe(false);
  expect(figures(limited)).toEqual(figures(whole));

  await permit(
    '!(resource is WebhookEvent) || (resource has Application && resource.Application.Description == "first")',
  );
  expect(countsOf(await read(reader))).toEqual({ FirstAttempt: 1 });
  expect((await rowsOf(reader, "")).map(({ EventId }) => EventId)).toEqual([ids.get("first")!]);
  for (const EventId of ids.values()) await removeRows("payloads", { event_id: EventId });
  expect(await read(reader)).toMatchObject({ Owed: { Count: 0 }, Complete: false });
  expect(figures(await read(api)).Owed).toEqual(whole.Owed);

  await permit("resource is WebhookEvent");
  expectError(await reader.get(`/WebhookStatement?${lately()}&ConnectionId=${id}`), 403, "Permission");
  expectError(await reader.get(`/WebhookStatement?${lately()}`), 403, "Permission");
  await permit("resource is WebhookConnection");
  expectError(await reader.get(`/WebhookStatement?${lately()}&ConnectionId=${id}`), 403, "Permission");
}
