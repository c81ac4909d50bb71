// Streaming committed changes.

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { startProcess } from "../support/process.ts";
import { PROXIES } from "../support/proxies.ts";
import { type Api, ok, until } from "../world/api.ts";
import { plantEvent } from "../world/planted.ts";
import { connected } from "../world/receiver.ts";
import { type LoggedPayload, payloadsOf } from "../world/rows.ts";
import { hide, READING } from "../world/spy.ts";
import { newMember, newTenant, savePolicy, setting, shared, clientOf as signedInClientOf } from "../world/tenant.ts";

const PATH = "/Endpoint/rest/api/v1/WebhookEvent/Stream";
const MAX_STREAMS_PER_TENANT = 5;
const sql = connect(shared().databaseUrl, "gatehouse test", 2);
afterAll(() => sql.end());

interface Change {
  Sequence: string | null;
  Payload: { EventId: string; EventType: string; Data: { Id: string } };
}

interface Listening extends AsyncDisposable {
  changes: Change[];
  /** The exact text of each event. */
  texts: string[];
  ids: string[];
  lastId(): string;
  ended: Promise<void>;
}

interface ListenOptions {
  query?: string;
  lastId?: string;
}

async function listen(
  { url = shared().url, authorization }: { url?: string; authorization: string },
  { query = "", lastId }: ListenOptions = {},
): Promise<Listening> {
  const stop = new AbortController();
  const answer = await fetch(`${url}${PATH}${query}`, {
    headers: { authorization, ...(lastId && { "last-event-id": lastId }) },
    signal: stop.signal,
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  // nginx with default settings must not buffer it.
  expect(answer.headers.get("x-accel-buffering")).toBe("no");
  const [changes, texts, ids]: [Change[], string[], string[]] = [[], [], []];
  const read = async () => {
    let rest = "";
    for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith("id: ")) ids.push(line.slice(4));
        if (!line.startsWith("data: ")) continue;
        texts.push(line.slice(6));
        changes.push(JSON.parse(line.slice(6)));
      }
    }
  };
  const ended = read();
  ended.catch(() => {});
  await until("the first id", () => ids.length > 0);
  return {
    changes,
    texts,
    ids,
    lastId: () => ids.at(-1)!,
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended.catch(() => {});
    },
  };
}

const kinds = ({ changes }: Listening) => changes.map(({ Payload }) => Payload.EventType);

describe.concurrent("a stream of changes", () => {
  test("has each change with the bytes and sequence that receivers get, with or without connections", async () => {
    const api = await newTenant();
    await using stream = await listen(api);
    const { Id } = await api.change({ Name: "Gate" });
    await until("the first", () => stream.changes.length === 1);
    await using receiver = await connected(api);
    await api.change({ Id, Description: "a \u2028 and\nmore" });
    await until("both", () => stream.changes.length === 2 && receiver.calls.length === 1);
    expect(kinds(stream)).toEqual(["Created", "Updated"]);
    const [call] = receiver.calls;
    expect(stream.texts[1]).toBe(
      `{"Sequence":${JSON.stringify(call!.headers.get("webhook-sequence"))},"Payload":${call!.bytes}}`,
    );
  });

  test("continues from Last-Event-ID without gaps", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Gate" });
    const first = await listen(api);
    await api.change({ Id, Description: "one" });
    await until("the change", () => first.changes.length === 1);
    const behind = first.lastId();
    await until("an id after it", () => first.lastId() !== behind);
    const lastId = first.lastId();
    await first[Symbol.asyncDispose]();
    for (const Description of ["two", "three"]) await api.change({ Id, Description });

    await using second = await listen(api, { lastId });
    await until("what came between", () => second.changes.length === 2);
    await api.change({ Id, Description: "four" });
    await until("what comes now", () => second.changes.length === 3);
    const told = second.changes.map(({ Payload }) => (Payload.Data as { Description?: string }).Description);
    expect(told).toEqual(["two", "three", "four"]);
  });

  test("ends with its token, before any further change", async () => {
    const api = await newTenant();
    const holder = await signedInClientOf(api.tenant);
    await using stream = await listen(holder);
    await using short = await listen(holder, { query: "?Seconds=3" });
    await api.change({ Name: "Gate" });
    await until("the change", () => stream.changes.length === 1);
    const { clientId: client_id, clientSecret: client_secret } = holder;
    const token = holder.authorization.split(" ")[1]!;
    const body = new URLSearchParams({ client_id, client_secret, token });
    expect((await fetch(`${shared().url}/oauth2/revoke`, { method: "POST", body })).status).toBe(200);
    await api.change({ Name: "Later" });
    await Promise.all([stream.ended, short.ended]);
    expect(kinds(stream)).toEqual(["Created"]);
    // After the short one has ended, the others are unaffected.
    await using other = await listen(api, { query: "?Seconds=3" });
    await other.ended;
  });

  test("includes a transaction that commits after a later one", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Gate" });
    const early = await api.newestEvent();
    const [{ recordId, payload }] = (await payloadsOf(api.tenantId)) as [LoggedPayload];
    await using stream = await listen(api);
    await sql.begin(async (tx) => {
      const late = { id: early.EventId.slice(0, -8) + "0".repeat(8), event_type: "Deleted", record_id: recordId };
      await plantEvent(api, Date.now(), late, JSON.stringify(payload).replaceAll("Created", "Deleted"), tx);
      await api.change({ Id, Description: "later" });
      await until("the later one", () => stream.changes.length === 1);
    });
    await until("the earlier one", () => stream.changes.length === 2);
    expect(kinds(stream)).toEqual(["Updated", "Deleted"]);
  });

  test("accepts filters, and has no other tenant's changes", async () => {
    const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
    const { Id } = await api.change({ Name: "Gate" });
    await using deleted = await listen(api, { query: "?EventRecord=Application&EventType=Deleted" });
    await using other = await listen(stranger);
    await api.change({ Id, Description: "no" });
    await api.call("DELETE", `/Application/${Id}`);
    await stranger.change({ Name: "Own" });
    await until("one for each", () => deleted.changes.length + other.changes.length === 2);
    expect([kinds(deleted), kinds(other)]).toEqual([["Deleted"], ["Created"]]);
  });

  test("omits changes that its listener's policies hide", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    await savePolicy(admin, "Spy", `permit (principal == Client::"${spy.clientId}", action, resource);`);
    const secret = await ok(admin.patch("/Department", { Name: "Secret" }));
    await hide({ admin, spy }, [{ type: "Department", id: String(secret.Id) }], READING);
    await using stream = await listen({ authorization: `Bearer ${spy.token}` });
    await ok(admin.patch("/Department", { Id: secret.Id, Description: "not for everybody" }));
    await ok(admin.patch("/Department", { Name: "Open" }));
    await until("the open one", () => stream.changes.length === 1);
    expect(stream.texts.join()).not.toContain("not for everybody");
    expect(stream.changes[0]).toMatchObject({ Payload: { EventType: "Created", Data: { Name: "Open" } } });
  });

  test("is one of at most five for a tenant; the next must wait, and a closed one frees its place", async () => {
    const api = await newTenant();
    const open = await Promise.all(Array.from({ length: MAX_STREAMS_PER_TENANT }, () => listen(api)));
    expect(await failure(api)).toMatchObject({ Status: 429 });
    const other = await listen(await newTenant());
    await open.pop()![Symbol.asyncDispose]();
    await until("room", async () => {
      const next = await listen(api).catch(() => undefined);
      if (next) open.push(next);
      return next;
    });
    for (const stream of [...open, other]) await stream[Symbol.asyncDispose]();
  });

  test("sends more than a page of changes, each once, also after an interruption", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Gate" });
    const first = await listen(api);
    const lastId = first.lastId();
    await first[Symbol.asyncDispose]();
    const [{ recordId, payload }] = (await payloadsOf(api.tenantId)) as [LoggedPayload];
    for (let made = 0; made < 250; made++) {
      const text = JSON.stringify({ ...payload, EventId: `made ${made}` });
      await plantEvent(api, Date.now(), { record_id: recordId }, text);
    }
    await using whole = await listen(api, { lastId });
    await until("all", () => whole.changes.length === 250);
    const middle = whole.ids.find((id) => id.includes("~"))!;
    await using rest = await listen(api, { lastId: middle });
    await until("the rest", () => rest.changes.length === 150);
    await api.change({ Id, Description: "last" });
    await until("what comes now", () => whole.changes.length === 251 && rest.changes.length === 151);
    expect(new Set(whole.changes.map(({ Payload }) => Payload.EventId)).size).toBe(251);
    expect(rest.texts).toEqual(whole.texts.slice(100));
  });

  test.each([
    "0",
    "x.1:1:",
    "NOW.2:1:",
    "NOW.1:4:3,2",
    "NOW.1:3:7",
    "NOW.1:9000000000000000000:",
    "1000000000000.1:1:",
    "NOW.1:1:~NOW.1:1:~a",
  ])("rejects Last-Event-ID %s", async (written) => {
    const lastId = written.replaceAll("NOW", String(Date.now()));
    expect(await failure(await newTenant(), { lastId })).toMatchObject({
      Status: 400,
      Errors: ["Last-Event-ID must be an id of this stream, of the last 24 hours. Without it the stream begins now."],
    });
  });

  test("ends after the requested Seconds, at most a minute", async () => {
    const api = await newTenant();
    await using stream = await listen(api, { query: "?Seconds=1" });
    await stream.ended;
    for (const seconds of ["0", "61", "1.5", "soon"]) {
      const answer = await fetch(`${api.url}${PATH}?Seconds=${seconds}`, {
        headers: { authorization: api.authorization },
      });
      expect([seconds, answer.status, await answer.json()]).toMatchObject([
        seconds,
        400,
        { Errors: ["Seconds must be a whole number from 1 to 60."] },
      ]);
    }
  });

  test("requires the scope", async () => {
    const admin = await newTenant();
    const answer = await fetch(shared().url + PATH);
    expect(answer.status).toBe(401);
    expect((await admin.send("HEAD", "/WebhookEvent/Stream")).status).toBe(200);
    expect((await admin.send("DELETE", "/WebhookEvent/Stream")).status).toBe(405);
  });
});

test("a stream ends with the process, which does not wait for listeners", async () => {
  await using database = await newEmptyDatabase();
  await using server = startProcess("server/serve.ts", {
    DATABASE_URL: database.url,
    MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
    PORT: "0",
    SHUTDOWN_GRACE: "60m",
  });
  const { port } = await server.said((message) => message === "api ready");
  const url = `http://127.0.0.1:${port}`;
  const api = await newTenant({ url, databaseUrl: database.url });
  await using stream = await listen(api);
  server.signal("SIGTERM");
  await stream.ended;
  expect(await server.exited).toBe(0);
});

test("bun run listen forwards changes to a local server, signed as for receivers", async () => {
  const api = await newTenant();
  const secret = `whsec_${Buffer.from("a secret of some length, for tests").toString("base64")}`;
  const calls: { headers: Record<string, string>; body: string }[] = [];
  await using local = Bun.serve({
    port: 0,
    async fetch(request) {
      calls.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
      return new Response(null, { status: 204 });
    },
  });
  const command = Bun.spawn(
    [process.execPath, join(PROJECT_ROOT, "examples/listen.ts"), "--to", local.url.href, "--secret", secret],
    { env: { ...process.env, ...PROXIES, ...clientOf(api) }, stdout: "pipe", stderr: "inherit" },
  );
  try {
    let printed = "";
    void (async () => {
      for await (const text of command.stdout.pipeThrough(new TextDecoderStream())) printed += text;
    })();
    await until("it to listen", () => printed.includes("Stop: Ctrl-C"));
    await until("a change to come through", async () => {
      await api.change({ Name: `Gate ${calls.length} ${Bun.randomUUIDv7()}` });
      return calls.length > 0;
    });
    const { headers, body } = calls[0]!;
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(new Bun.CryptoHasher("sha256", secret).update(body).digest("hex")).toBe(headers["x-signature"]!);
    expect(headers["webhook-sequence"]).toBe("1");
    await until("its line", () => /Created Application {2}event [0-9a-f-]{36} {2}204 after \d+ ms\n/.test(printed));
  } finally {
    command.kill();
    await command.exited;
  }
});

function clientOf({ url, tenant }: Api): Record<string, string> {
  const { clientId, clientSecret } = tenant.client;
  return { GATEHOUSE_URL: url, GATEHOUSE_CLIENT_ID: clientId, GATEHOUSE_CLIENT_SECRET: clientSecret };
}

async function failure({ url, authorization }: Api, { lastId = "" }: ListenOptions = {}) {
  const answer = await fetch(url + PATH, { headers: { authorization, ...(lastId && { "last-event-id": lastId }) } });
  const body = (await answer.json()) as object;
  return { Status: answer.status, ...body };
}
