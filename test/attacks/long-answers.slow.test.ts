// Streamed responses when the reader's access changes in between: every such response of the API and of Settings, for
// every way of removing access.

import { describe, expect, test } from "bun:test";
import { Unzip, UnzipInflate } from "fflate";
import type { TenantId } from "../../server/platform/ids.ts";
import { type Api, ok, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { readDocument } from "../world/documented.ts";
import { plantDeliveries, plantEvent, plantFormerOutcomes } from "../world/planted.ts";
import { fill, plantEntries, rowsOf, setRows } from "../world/rows.ts";
import { type Item, PATIENCE_MS, send } from "../world/spy.ts";
import { db, newMember, newTenant, savePolicy, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** So many rows that saving a policy is faster than sending an export. */
const ROWS = 20_000;
const MARK = "a long answer tells this";

interface Reader {
  admin: Api;
  spy: Api;
}

/** Makes content for the response. */
interface LongAnswer {
  /** @returns values for its path */
  before(reader: Pick<Reader, "admin">): Promise<Record<string, string>>;
  /** Called before and after access is removed. */
  during(reader: Reader): Promise<void>;
  /** The number of items without a removal. */
  all: number;
  /** The type of the records in the response. */
  inner: string;
  /** A type that must be visible; default: the first word of the path. */
  type?: string;
}

const change = async ({ admin }: Reader) => {
  await ok(admin.patch("/Department", { Name: `${MARK} ${Bun.randomUUIDv7()}` }));
};

const LONG_ANSWERS: Record<string, LongAnswer> = {
  "/WebhookEvent/Stream": { before: async () => ({}), during: change, all: 2, inner: "Department" },
  "/AuditEvent/Export": {
    async before({ admin }) {
      await plantEntries(admin.tenantId, ROWS, { userAgent: MARK });
      return {};
    },
    during: async () => {},
    all: ROWS,
    inner: "AuditEvent",
  },
  "/User/{Id}/Export": {
    async before({ admin }) {
      const { Id } = await ok(admin.patch("/User", { Name: "Exported" }));
      await plantEntries(admin.tenantId, ROWS, { userAgent: MARK, userId: String(Id) });
      return { Id: String(Id) };
    },
    during: async () => {},
    all: ROWS,
    inner: "AuditEvent",
  },
  "/Redelivery/{Id}/Deliveries/Export": {
    async before({ admin }) {
      const hook = { URL: "https://receiver.example/", Entities: ["Department"], Events: ["Created"], State: "Paused" };
      const connection = await ok(admin.patch("/WebhookConnection", { Name: "Receiver", ...hook }));
      const replay = { ConnectionId: connection.Id, From: "2020-01-01" };
      const { Id } = await ok(send(admin, "POST", "/Redelivery", replay));
      const event = await plantEvent(admin, Date.now(), { event_record: "Department" });
      await plantDeliveries(admin, event, connection.Id, { state: "Delivered" }, ROWS);
      const sent = await rowsOf("deliveries", { event_id: event.id });
      await plantFormerOutcomes(sent, { reason: MARK, redelivery_id: Id });
      return { Id };
    },
    during: async () => {},
    all: ROWS,
    inner: "WebhookEvent",
  },
  "/WebhookStatement/Export": {
    async before({ admin }) {
      const { Id } = await admin.connect("https://receiver.example/");
      const filling = { connectionIds: [Id], events: ROWS, spanMs: 600_000, stateOf: () => "Cancelled" as const };
      await fill(db(), { tenantId: admin.tenantId as TenantId, ...filling });
      await setRows("deliveries", { tenant_id: admin.tenantId }, { reason: MARK });
      return {};
    },
    during: async () => {},
    all: ROWS,
    inner: "WebhookEvent",
    type: "WebhookConnection",
  },
};

const forbid = ({ admin, spy }: Reader, what: string) =>
  savePolicy(admin, "Taken away", `forbid (principal == Client::"${spy.clientId}", ${what});`);

const WAYS: Record<string, (reader: Reader, path: string) => Promise<unknown>> = {
  "a policy that forbids all reading": (reader) => forbid(reader, "action, resource"),
  "a policy that forbids the type": (reader, path) =>
    forbid(reader, `action, resource is ${LONG_ANSWERS[path]!.type ?? path.split("/")[1]}`),
  "a policy that forbids the records in it": (reader, path) =>
    forbid(reader, `action, resource is ${LONG_ANSWERS[path]!.inner}`),
  "the end of the policy that permitted it": async ({ admin }) => {
    const { Items } = await ok(admin.get("/Policy?Name=Spy"));
    await ok(admin.remove(`/Policy/${Items[0].Id}`));
  },
  "a client that loses the scope": ({ admin, spy }) =>
    ok(admin.patch(`/Application/${spy.clientId}/Credentials`, { Scopes: ["openid"] })),
  "a client that is no longer active": ({ admin, spy }) =>
    ok(admin.patch("/Application", { Id: spy.clientId, Is_Active: false })),
  "a client that is gone": ({ admin, spy }) => ok(admin.remove(`/Application/${spy.clientId}`)),
};

const API = "/Endpoint/rest/api/v1";
const documented = Object.entries<Item>((await readDocument()).paths)
  .filter(([path, { get }]) => path.startsWith(API) && get && !("application/json" in get.responses["200"].content))
  .map(([path]) => path.slice(API.length));

test("every answer that is not a single JSON text is tested here", () => {
  expect(documented.toSorted()).toEqual(Object.keys(LONG_ANSWERS).toSorted());
});

describe.concurrent.each(documented)("%s reveals nothing more after", (path) => {
  test.each(Object.entries(WAYS))("%s", async (_, takeAway) => {
    const answer = LONG_ANSWERS[path]!;
    const admin = await newTenant();
    const reader = { admin, spy: await newMember(admin) };
    await savePolicy(admin, "Spy", `permit (principal == Client::"${reader.spy.clientId}", action, resource);`);
    const ids = await answer.before(reader);
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => ids[name]!);
    const authorization = `Bearer ${reader.spy.token}`;
    await using told = await open(`${shared().url}${API}${filled}`, { authorization });
    await answer.during(reader);
    await until("what is told before", () => told.marks() > 0);
    await takeAway(reader, path);
    await answer.during(reader);
    await told.restIsTold();
    expect(told.marks()).toBeLessThan(answer.all);
  });
});

describe.concurrent("the audit log download of Settings ends early after", () => {
  const ways: Record<string, (admin: Api, user: Item, browser: Visitor) => Promise<unknown>> = {
    "the loss of a role": async (admin) => {
      const { Items } = await ok(admin.get("/Role"));
      for (const { Name } of Items) await ok(admin.patch("/Role", { Name, Members: OF_CLIENTS(admin) }));
    },
    "the user's deactivation": (admin, user) => ok(admin.patch("/User", { Id: user.Id, Is_Active: false })),
    "the end of the session": (admin, user) => ok(admin.remove(`/User/${user.Id}/Sessions`)),
  };
  test.each(Object.entries(ways))("%s", async (_, takeAway) => {
    const admin = await newTenant();
    const { username, password } = await newColleague(admin, "auditor");
    await LONG_ANSWERS["/AuditEvent/Export"]!.before({ admin });
    const browser = new Visitor(issuer());
    const page = await browser.open(`/settings?organisation=${admin.tenantId}`);
    expect((await browser.submit(page, { username, password })).heading).toBe("Overview");
    const cookie = browser.cookieHeader;
    await using told = await open(`${issuer()}/settings/audit-log/export?Format=CSV`, { cookie });
    await until("what is told before", () => told.marks() > 0);
    const { Items } = await ok(admin.get(`/User?Username=${encodeURIComponent(username)}`));
    await takeAway(admin, Items[0], browser);
    await told.restIsTold();
    expect(told.marks()).toBeLessThan(ROWS);
  });
});

const OF_CLIENTS = ({ clientId }: Api) => [{ Type: "Application", Id: clientId }];

/** The content of an archive's files received so far. */
async function* unzipped(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let content: Uint8Array[] = [];
  const unzip = new Unzip((file) => {
    file.ondata = (error, bytes) => {
      if (error) throw error;
      content.push(bytes);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for await (const bytes of archive) {
    unzip.push(bytes);
    yield* content;
    content = [];
  }
}

/** Continues to read in the background. */
async function open(url: string, headers: Record<string, string>) {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  if (response.status !== 200) throw new Error(await response.text());
  let text = "";
  let hasEnded = false;
  const isArchive = response.headers.get("content-type") === "application/zip";
  const parts = isArchive ? unzipped(response.body!) : response.body!;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of parts) text += decoder.decode(part, { stream: true });
  })()
    .catch(() => {})
    .finally(() => {
      hasEnded = true;
    });
  const ids = () => text.split("\nid: ").length;
  return {
    marks: () => text.split(MARK).length - 1,
    /** Waits until it has ended, or has checked access twice more. */
    async restIsTold() {
      const known = ids();
      await until("the rest", () => hasEnded || ids() > known + 1, PATIENCE_MS);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
}
