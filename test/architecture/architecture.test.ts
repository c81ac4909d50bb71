import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { importsOf, readSources, type Source } from "./imports.ts";
import {
  activitiesDoNotKnowHttp,
  answersPassTheGate,
  componentsGetRecords,
  filesAreShort,
  filesHaveNoCircles,
  foldersHaveNames,
  foldersHaveNoCircles,
  foldersHoldSeveralFiles,
  kindsOfSettingsAreListedOnce,
  longAnswersAreJudgedAnew,
  nothingImportsTheEntries,
  pagesAndRoutesCallServices,
  type Rule,
  roomsAreEnteredByTheirIndex,
  roomsAreOrdered,
  roomsHaveFewDoors,
  sendingDoesNotKnowItsLog,
  sqlStandsInStores,
  tablesAreMaps,
  transactionsAreShares,
  wordsMeanOneThing,
  workflowsArePure,
  workflowsShareTheirContract,
} from "./rules.ts";

const ROOT = join(import.meta.dir, "../..");
const product = await readSources(ROOT, ["server", "workflows", "activities", "examples"]);
const everything = [...product, ...(await readSources(ROOT, ["test", "bench"]))];

const source = (path: string, text: string): Source => ({ path, text });

/** One file, or several that violate a rule together. */
type Sample = Source | Source[];

/** A rule, its files, and samples that it must reject and accept. The samples prove that the rule can fail. */
const RULES: { name: string; rule: Rule; sources: Source[]; bad: Sample[]; good: Sample[] }[] = [
  {
    name: "workflows import @temporalio/workflow, each other, and of activities and ids only types",
    rule: workflowsArePure,
    sources: product,
    bad: [
      source("workflows/a.ts", `import { randomUUID } from "node:crypto";`),
      source("workflows/a.ts", `import type { Sql } from "../server/platform/db/sql.ts";`),
      source("workflows/a.ts", `import { createActivities } from "../activities/index.ts"; createActivities();`),
      source("workflows/a.ts", `import { Client } from "@temporalio/client"; new Client();`),
      source("workflows/a.ts", `export { post } from "../activities/index.ts";`),
      source("workflows/a.ts", `import { newId } from "../server/platform/ids.ts"; newId();`),
    ],
    good: [
      source("workflows/a.ts", `import type { createActivities } from "../activities/index.ts";`),
      source("workflows/a.ts", `import { type Activities } from "../activities/index.ts";`),
      source("workflows/a.ts", `import type { EventId } from "../server/platform/ids.ts";`),
      source(
        "workflows/a.ts",
        `import { sleep } from "@temporalio/workflow"; import { A } from "./contract.ts"; sleep(A);`,
      ),
    ],
  },
  {
    name: "activities import stores and egress, never the web framework or routes",
    rule: activitiesDoNotKnowHttp,
    sources: product,
    bad: [
      source("activities/a.ts", `import { Elysia } from "elysia"; new Elysia();`),
      source("activities/a.ts", `import type { Elysia } from "elysia";`),
      source("activities/a.ts", `import { logController } from "../server/webhooks/log/routes.ts"; logController();`),
      source("activities/a.ts", `import { createApp } from "../server/app.ts"; createApp();`),
    ],
    good: [source("activities/a.ts", `import type { Egress } from "../server/platform/egress/index.ts";`)],
  },
  {
    name: "a transaction is begun in its tenant's share of the pool",
    rule: transactionsAreShares,
    sources: product,
    bad: [source("server/records/entities/a.ts", "await sql.begin(async (tx) => {});")],
    good: [
      source("server/records/entities/a.ts", "await sql.beginFor(tenantId, async (tx) => {});"),
      source("server/platform/db/migrate.ts", "await sql.begin(async (tx) => {});"),
    ],
  },
  {
    name: "SQL stands only in a store.ts, a *.store.ts or in server/platform/db/",
    rule: sqlStandsInStores,
    sources: product,
    bad: [
      source("server/records/entities/routes.ts", "await sql`select 1`;"),
      source("server/records/entities/routes.ts", "await tx<Row[]>`update users set name = null`;"),
      source("server/records/entities/routes.ts", 'await sql.unsafe("select 1");'),
      source("server/identity/oauth/grants/token.ts", "await deps.database`delete from users`;"),
    ],
    good: [
      source("server/records/entities/store.ts", "await sql`select 1`;"),
      source("server/identity/signin/throttle.store.ts", "await sql`select 1`;"),
      source("server/platform/db/migrate.ts", "await tx`select 1`;"),
      source("server/records/entities/routes.ts", "// not sql`select 1`\nconst word = `update one`;"),
    ],
  },
  {
    name: "a room is entered through its index.ts",
    rule: roomsAreEnteredByTheirIndex,
    sources: product,
    bad: [
      source("server/webhooks/log/a.ts", `import type { Caller } from "../../records/access/caller.ts";`),
      source("server/app.ts", `import { createSite } from "./ui/site.ts"; createSite();`),
      source("server/openapi/a.ts", `import { record } from "../records/record.ts"; record();`),
      source("server/ui/a.ts", `import { post } from "../platform/egress/post.ts"; post();`),
      source("activities/a.ts", `import { openAttempt } from "../server/webhooks/deliveries/store.ts"; openAttempt();`),
    ],
    good: [
      source("server/records/entities/a.ts", `import { recordEvent } from "../events/outbox.ts"; recordEvent();`),
      source("server/webhooks/a.ts", `import { isOpen } from "./log/states.ts"; isOpen();`),
      source("server/webhooks/a.ts", `import { newId } from "../platform/ids.ts"; newId();`),
      source("server/webhooks/log/a.ts", `import { TASK_QUEUE } from "../../../workflows/contract.ts"; TASK_QUEUE;`),
    ],
  },
  {
    name: "a room exports few names, and no more than before",
    rule: roomsHaveFewDoors,
    sources: product,
    bad: [source("server/console/index.ts", `export { a, type B, c, d, e } from "./a.ts";`)],
    good: [source("server/console/index.ts", `export { a, type B } from "./a.ts";\nexport * as c from "./c.ts";`)],
  },
  {
    name: "what sends deliveries does not know the activity log",
    rule: sendingDoesNotKnowItsLog,
    sources: product,
    bad: [source("server/webhooks/deliveries/a.ts", `import type { EventRecord } from "../log/service.ts";`)],
    good: [source("server/webhooks/log/a.ts", `import { sequenceOf } from "../deliveries/request.ts"; sequenceOf();`)],
  },
  {
    name: "of workflows, others import only the contract",
    rule: workflowsShareTheirContract,
    sources: product,
    bad: [
      source("server/webhooks/a.ts", `import { deliverWebhook } from "../../workflows/index.ts"; deliverWebhook();`),
    ],
    good: [source("activities/a.ts", `import { TASK_QUEUE } from "../workflows/contract.ts"; TASK_QUEUE;`)],
  },
  {
    name: "no part of the server imports the app or an entry",
    rule: nothingImportsTheEntries,
    sources: product,
    bad: [source("server/records/entities/a.ts", `import { createApp } from "../../app.ts"; createApp();`)],
    good: [source("server/serve.ts", `import { createApp } from "./app.ts"; createApp();`)],
  },
  {
    name: "what leaves has passed the gate",
    rule: answersPassTheGate,
    sources: product,
    bad: [
      source("server/webhooks/log/routes.ts", "return Response.json(await readEvents(caller));"),
      source("server/console/activity/list.tsx", "return new Response(text);"),
      source("server/records/entities/service.ts", "return record as Shown<Item>;"),
      source("server/records/audit/service.ts", "return withoutRecords(rows);"),
      source(
        "server/webhooks/log/service.ts",
        `rows.filter((row) => permissions.allows("Webhooks:Read", "Redelivery", row))`,
      ),
    ],
    good: [
      source("server/webhooks/log/routes.ts", "return answer(await readEvents(caller));"),
      source("server/identity/oauth/endpoint.ts", "return Response.json(body);"),
      source("server/records/access/gate/gate.ts", "return asShown(items);"),
    ],
  },
  {
    name: "a long answer is judged anew before each part",
    rule: longAnswersAreJudgedAnew,
    sources: product,
    bad: [
      source(
        "server/records/audit/a.ts",
        "new ReadableStream({ pull: async (controller) => controller.enqueue(await next()) });",
      ),
      source("server/webhooks/log/a.ts", `new Response(body, { headers: { "content-type": "text/event-stream" } });`),
    ],
    good: [
      source(
        "server/records/audit/a.ts",
        "new ReadableStream({ pull: async () => send(await next(await caller.again())) });",
      ),
      source("test/a.ts", "new ReadableStream({ pull });"),
    ],
  },
  {
    name: "what is looked up by a text is a Map, or asked for what is its own",
    rule: tablesAreMaps,
    sources: product,
    bad: [
      source(
        "server/identity/oauth/a.ts",
        "const WORDS: Record<string, string> = { openid: 'who' }; told(WORDS[scope] ?? scope);",
      ),
      source(
        "server/identity/oauth/a.ts",
        "const METHODS: Readonly<Record<string, string[]>> = { a: [] }; METHODS[path]?.join();",
      ),
      source("server/identity/oauth/a.ts", "const seen: { [name: string]: number } = {}; return seen[name];"),
      source("server/console/a.tsx", "const service = { Policy: policies, Role: roles }[type];"),
    ],
    good: [
      source(
        "server/identity/oauth/a.ts",
        "const WORDS = new Map(Object.entries({ openid: 'who' })); told(WORDS.get(scope));",
      ),
      source(
        "server/identity/oauth/a.ts",
        "const GRANTS: Record<string, Grant> = { code }; Object.hasOwn(GRANTS, type) && GRANTS[type];",
      ),
      source("server/identity/oauth/a.ts", 'const TOLD: Record<State, string> = { Held: "" }; return TOLD[state];'),
      source("server/identity/oauth/a.ts", "const sent: Record<string, string> = {}; sent[name] = value; sent.csrf;"),
      source("server/identity/oauth/a.ts", ["log(`$", "{path}[name]`);"].join("")),
    ],
  },
  {
    name: "a room imports only the rooms before it, and not what composes them",
    rule: roomsAreOrdered,
    sources: product,
    bad: [
      source("server/records/a.ts", `import { a } from "../webhooks/index.ts"; a();`),
      source("server/platform/http/a.ts", `import type { Caller } from "../../records/access/index.ts";`),
      source("server/console/a.ts", `import { a } from "../kinds.ts"; a();`),
      source("server/other/a.ts", `import { newId } from "../platform/ids.ts"; newId();`),
    ],
    good: [
      source("server/webhooks/a.ts", `import { a } from "../records/index.ts"; a();`),
      source("server/records/access/a.ts", `import { a } from "../audit/index.ts"; a();`),
      source("server/appliance/commands/a.ts", `import { a } from "../../kinds.ts"; a();`),
      source("server/app.ts", `import { a } from "./console/index.ts"; a();`),
    ],
  },
  {
    name: "no two files need each other",
    rule: filesHaveNoCircles,
    sources: product,
    bad: [[source("a.ts", `import type { B } from "./b.ts";`), source("b.ts", `import { a } from "./a.ts"; a();`)]],
    good: [[source("a.ts", `import type { B } from "./b.ts";`), source("b.ts", `import { c } from "./c.ts"; c();`)]],
  },
  {
    name: "no two folders of a room, or files beside them, need each other",
    rule: foldersHaveNoCircles,
    sources: product,
    bad: [
      [
        source("server/webhooks/log/a.ts", `import { a } from "../redelivery/store.ts"; a();`),
        source("server/webhooks/redelivery/a.ts", `import type { WorkflowUrl } from "../log/record.ts";`),
      ],
      [
        source("server/console/activity/a.tsx", `import { titleOf } from "../webhooks/list.tsx"; titleOf();`),
        source("server/console/webhooks/a.tsx", `import { a } from "../overview/a.ts"; a();`),
        source("server/console/overview/a.ts", `import { a } from "../activity/a.tsx"; a();`),
      ],
      // A file beside the subfolders counts as one.
      [
        source("server/records/access/gate/a.ts", `import type { Access } from "../access.ts";`),
        source("server/records/access/access.ts", `import { b } from "./gate/b.ts"; b();`),
      ],
    ],
    good: [
      [
        source("server/webhooks/log/a.ts", `import { a } from "../redelivery/store.ts"; a();`),
        source("server/webhooks/redelivery/a.ts", `import type { WorkflowUrl } from "../workflow-url.ts";`),
        source("server/webhooks/services.ts", `import { a } from "./log/a.ts"; a();`),
      ],
    ],
  },
  {
    name: "kinds of settings are listed once",
    rule: kindsOfSettingsAreListedOnce,
    sources: product,
    bad: [
      source("server/app.ts", `const finders = { "Policy": findPolicies };`),
      source("server/console/search/sources.ts", `lists.push(["Role", roles.list()]);`),
      source("server/api.ts", `import { POLICIES, type Access } from "./records/index.ts"; POLICIES;`),
    ],
    good: [
      source("server/identity/settings.ts", `import { POLICIES } from "./records/index.ts"; POLICIES;`),
      source("server/console/settings/roles.tsx", `visit.may("Settings:Update", "Role", role);`),
    ],
  },
  {
    name: "a component gets records, never a key or a connection to the database",
    rule: componentsGetRecords,
    sources: product,
    bad: [
      source("server/console/a.tsx", "export function List({ sql, visit }: ListProps): JSX.Element {}"),
      source("server/console/a.tsx", "interface ListProps {\n  visit: Visit;\n  key: Vault;\n}\n"),
      source("server/console/a.tsx", "function List<Row>(deps: ConsoleDependencies): JSX.Element {}"),
    ],
    good: [
      source("server/console/a.tsx", "export function List({ visit, rows }: ListProps): JSX.Element {}"),
      source("server/console/a.tsx", "export function listPage({ sql }: ConsoleDependencies): Handler {}"),
    ],
  },
  {
    name: "pages and routes call services, and know no database",
    rule: pagesAndRoutesCallServices,
    sources: product,
    bad: [
      source("server/console/overview/webhooks.tsx", "const { sql, connections } = deps;"),
      source("server/console/webhooks/health.tsx", `import type { Sql } from "../../db/connection.ts";`),
      source("server/api.ts", "export interface ApiServices {\n  sql: Sql;\n}"),
      source("server/identity/oauth/keys/routes.ts", "export function signingKeyRoutes(sql: Sql): Route[] {}"),
      source("server/webhooks/log/a.ts", "export function deadRoutes(\n  deps: { sql: Sql },\n): Route[] {}"),
      source("server/webhooks/log/routes.ts", "export interface EventLogRoutes {\n  sql: Sql;\n  log: EventLog;\n}\n"),
    ],
    good: [
      source("server/console/overview/webhooks.tsx", "const { connections, figures } = deps;"),
      source("server/identity/oauth/keys/routes.ts", "export function createPublishedKeys(sql: Sql): PublishedKeys {}"),
      source(
        "server/identity/oauth/keys/routes.ts",
        "export function signingKeyRoutes(keys: PublishedKeys): Route[] {}",
      ),
    ],
  },
  {
    name: "no folder of the server holds one or two files",
    rule: foldersHoldSeveralFiles,
    sources: product,
    bad: [
      source("server/a/a.ts", ""),
      [source("server/a/b/a.ts", ""), source("server/a/a.ts", ""), source("server/a/b.ts", "")],
    ],
    good: [["a", "b", "c"].map((name) => source(`server/a/${name}.ts`, "")), source("server/a.ts", "")],
  },
  {
    name: "no folder is called utils, helpers or common",
    rule: foldersHaveNames,
    sources: everything,
    bad: [source("server/utils/a.ts", ""), source("test/helpers/deep/a.ts", ""), source("server/common/a.ts", "")],
    good: [source("server/platform/http/common.ts", "")],
  },
  {
    name: "a word of the glossary means one thing in the names of files",
    rule: wordsMeanOneThing,
    sources: everything,
    bad: [
      source("server/platform/db/connection.ts", ""),
      source("server/platform/http/probes.ts", ""),
      source("server/records/access/policies/worker.ts", ""),
      source("server/identity/signin/families.store.ts", ""),
      source("server/console/front-door.tsx", ""),
    ],
    good: [
      source("server/webhooks/connections/probe.ts", ""),
      source("server/identity/oauth/tokens/families.store.ts", ""),
      source("server/console/webhooks/connection.tsx", ""),
      source("test/webhooks/worker.ts", ""),
    ],
  },
  {
    name: "no source file has more than 400 lines",
    rule: filesAreShort,
    sources: everything,
    bad: [source("server/a.ts", "\n".repeat(401))],
    good: [source("server/a.ts", "\n".repeat(400))],
  },
];

describe.each(RULES)("$name", ({ rule, sources, bad, good }) => {
  test("holds", () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(rule(sources)).toEqual([]);
  });

  test("is broken by every bad sample and by no good one", () => {
    for (const sample of bad) expect({ sample, found: rule([sample].flat()).length }).toEqual({ sample, found: 1 });
    for (const sample of good) expect({ sample, found: rule([sample].flat()) }).toEqual({ sample, found: [] });
  });
});

test("imports of types are seen, and known as such", () => {
  const text = [
    `import type { A } from "./a.ts";`,
    `import { type B, type C } from "./b.ts";`,
    `import { d, type D } from "./d.ts";`,
    `import type {\n  E,\n} from "./e.ts";`,
    `export type { F } from "./f.ts";`,
    `/** @example import { x } from "./comment.ts"; */`,
    `import "./g.ts";`,
    `await import("./h.ts");`,
    `d();`,
  ].join("\n");
  const found = importsOf({ path: "server/x/file.ts", text }).map(({ target, typeOnly }) => [target, typeOnly]);
  expect(Object.fromEntries(found)).toEqual({
    "server/x/a.ts": true,
    "server/x/b.ts": true,
    "server/x/d.ts": false,
    "server/x/e.ts": true,
    "server/x/f.ts": true,
    "server/x/g.ts": false,
    "server/x/h.ts": false,
  });
});
