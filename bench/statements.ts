// The statements of each request, as they go to PostgreSQL: their number, and how often the API waits for an answer
// before it sends the next.
//
//   bun run bench statements

import { createServer, connect as dial, type Socket } from "node:net";
import { type Asked, issuances, pushedCodes } from "./client-keys.ts";
import { Connection, type Conversation, requestText } from "./load.ts";
import { startOwnApi } from "./own-api.ts";
import { exchangeOf, ownKeyClients, ownUserToken } from "./own-clients.ts";

const API = "/Endpoint/rest/api/v1";
const SCOPE = "AccessManager:Read";
/** The first answers fill what the API keeps in memory. The shortest later one has no statements of its own timers. */
const TIMES = { before: 3, counted: 7 };
const SHOWN = 110;

interface Counted extends Omit<Conversation, "next"> {
  name: string;
  next(): string | Promise<string>;
}

const seen: { text: string; isFirst: boolean }[] = [];
await using api = await startOwnApi({ RATE_LIMIT: "1000000" }, startCounter);
const { url, tenant } = api;
const { clientId, clientSecret } = tenant.client;
const basic = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
const key = (await ownKeyClients(api, "ES256", 1))[0]!;
const asked: Asked = {
  issuer: url,
  paths: { token: "/oauth2/token", push: "/oauth2/par", authorization: "/oauth2/authorize" },
  grant: { scope: SCOPE },
  tokenAddress: `${url}/oauth2/token`,
};
const exchange = exchangeOf(await ownUserToken(api));
const signed = await tokensOf({ grant_type: "client_credentials", scope: "*" }, "/oAuth/rest/v2/Token");
const authorization = `Bearer ${signed.access_token}`;
const user = await make("/User", { Name: "Ana", Username: "ana", External_Id: "1" });
const application = await make("/Application", { Name: "One" });
let refreshed = signed.refresh_token;
let change = 0;
const CALLBACK = "https://asks.example/callback";
const asking = await askingClient();

await show({
  name: "GET User",
  next: () => requestText("GET", `${API}/User/${user}`, { authorization }),
});
await show({
  name: "PATCH Application",
  next() {
    const body = JSON.stringify({ Id: application, Description: `${change++}` });
    return requestText("PATCH", `${API}/Application`, { authorization, "content-type": "application/json", body });
  },
});
let person = 0;
const hash = await Bun.password.hash("correct horse", { algorithm: "bcrypt", cost: 4 });
await show({
  name: "POST of 3 Users with PasswordHash",
  next() {
    const people = Array.from({ length: 3 }, () => {
      const n = person++;
      return {
        Username: `p${n}`,
        Name: `Person ${n}`,
        Email: `p${n}@example.com`,
        External_Id: `P${n}`,
        PasswordHash: hash,
      };
    });
    const body = JSON.stringify(people);
    return requestText("POST", `${API}/User`, { authorization, "content-type": "application/json", body });
  },
});
await show({
  name: "client_credentials by secret",
  next: () => form("/oauth2/token", { grant_type: "client_credentials", scope: SCOPE }),
});
await show({ name: "client_credentials by private_key_jwt", ...issuances(asked, key) });
await show({ name: "token exchange", next: () => form("/oauth2/token", exchange) });
await show({
  name: "refresh",
  next: () => form("/oauth2/token", { grant_type: "refresh_token", refresh_token: refreshed }),
  heard(body) {
    refreshed = (JSON.parse(body) as typeof signed).refresh_token;
  },
});
await show({ name: "introspection of a refresh token", next: () => form("/oauth2/introspect", { token: refreshed }) });
await show({
  name: "introspection of an access token",
  next: () => form("/oauth2/introspect", { token: signed.access_token }),
});
const flow = pushedCodes(asked, key);
const flowNames = ["PAR by private_key_jwt", "authorization of a pushed request", "code by private_key_jwt"];
await show(...flowNames.map((name) => ({ ...flow, name })));
await show({ name: "sign-in by password", next: signIn }, { name: "consent", next: consent });

/** Sends the requests in turn, several times. */
async function show(...asked: Counted[]): Promise<void> {
  using connection = await Connection.open(new URL(url));
  const runs: (typeof seen)[][] = asked.map(() => []);
  for (let time = 0; time < TIMES.before + TIMES.counted; time++) {
    for (const [index, { next, heard }] of asked.entries()) {
      const request = await next();
      seen.length = 0;
      const { body, head } = await connection.ask(request);
      if (time >= TIMES.before) runs[index]!.push([...seen]);
      heard?.(body, head);
    }
  }
  for (const [index, { name }] of asked.entries()) {
    const statements = runs[index]!.toSorted((one, other) => one.length - other.length)[0]!;
    const turns = statements.filter(({ isFirst }) => isFirst).length;
    console.log(`\n${name}: ${statements.length} statements in ${turns} turns`);
    for (const { text, isFirst } of statements) console.log(`  ${isFirst ? "-" : " "} ${text.slice(0, SHOWN)}`);
  }
}

function form(path: string, fields: Record<string, string>): string {
  return requestText("POST", path, {
    authorization: basic,
    "content-type": "application/x-www-form-urlencoded",
    body: String(new URLSearchParams(fields)),
  });
}

async function tokensOf(fields: Record<string, string>, path: string) {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { authorization: basic },
    body: new URLSearchParams(fields),
  });
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

async function make(path: string, body: object): Promise<string> {
  const headers = { authorization, "content-type": "application/json" };
  const answer = await fetch(url + API + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return String(((await answer.json()) as { Id: unknown }).Id);
}

/** A client that is not the tenant's own, so its users are asked. */
async function askingClient(): Promise<string> {
  const [row] = await api.sql<{ id: number }[]>`
    insert into applications (tenant_id, name, is_active) values (${tenant.tenantId}, 'asks', true) returning id`;
  const declared = { application_id: row!.id, redirect_uris: [CALLBACK], scopes: ["openid", SCOPE] };
  await api.sql`insert into credentials ${api.sql({ ...declared, grant_types: ["authorization_code"] })}`;
  return String(row!.id);
}

/** The form of the sign-in or the consent page. */
async function pageOf(cookie?: string) {
  const query = { response_type: "code", client_id: asking, redirect_uri: CALLBACK, scope: `openid ${SCOPE}` };
  const request = `/oauth2/authorize?${new URLSearchParams({ ...query, ...(cookie && { prompt: "consent" }) })}`;
  const page = await fetch(url + request, { headers: { ...(cookie && { cookie }) }, redirect: "manual" });
  const html = await page.text();
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!.replaceAll("&amp;", "&"),
  ]);
  const cookies = page.headers.getSetCookie().map((line) => line.split(";")[0]);
  return { fields: Object.fromEntries(fields) as Record<string, string>, cookies: cookies.join("; ") };
}

function sent(path: string, cookie: string, fields: Record<string, string>): string {
  const body = String(new URLSearchParams(fields));
  return requestText("POST", path, { cookie, "content-type": "application/x-www-form-urlencoded", body });
}

async function signIn(): Promise<string> {
  const { fields, cookies } = await pageOf();
  return sent("/signin", cookies, { ...fields, username: tenant.admin.username, password: tenant.admin.password });
}

async function consent(): Promise<string> {
  const { fields, cookies } = await pageOf(key.cookie);
  return sent("/consent", [key.cookie, cookies].join("; "), { ...fields, decision: "allow" });
}

/** Counts what the API sends to PostgreSQL. @returns the counter's own address */
async function startCounter(databaseUrl: string): Promise<string> {
  const { port, hostname } = new URL(databaseUrl);
  const server = createServer((near) => {
    const far = dial(Number(port), hostname);
    const count = counterOf();
    near.setNoDelay(true);
    far.setNoDelay(true);
    join(near, far, count.sent);
    join(far, near, count.answered);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const own = new URL(databaseUrl);
  own.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return own.href;
}

function join(from: Socket, to: Socket, hear: (bytes: Buffer) => void): void {
  from.on("data", (bytes: Buffer) => {
    hear(bytes);
    to.write(bytes);
  });
  from.on("error", () => {});
  from.on("close", () => to.destroy());
}

/** Reads the messages of one connection (PostgreSQL's manual, 53.7). */
function counterOf() {
  const prepared = new Map<string, string>();
  let pending = Buffer.alloc(0);
  let hasBegun = false;
  let isAnswered = true;
  const note = (text: string) => {
    seen.push({ text: text.replace(/\s+/g, " ").trim(), isFirst: isAnswered });
    isAnswered = false;
  };
  return {
    answered() {
      isAnswered = true;
    },
    sent(bytes: Buffer) {
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        const start = hasBegun ? 1 : 0;
        if (pending.length < start + 4) return;
        const length = start + pending.readInt32BE(start);
        if (pending.length < length) return;
        const type = hasBegun ? String.fromCharCode(pending[0]!) : "";
        const [one = "", other = ""] = pending.toString("utf8", 5, length).split("\0");
        if (type === "Q") note(one);
        else if (type === "P") prepared.set(one, other);
        // A bind message names the portal first.
        else if (type === "B") note(prepared.get(other) ?? "");
        hasBegun = true;
        pending = pending.subarray(length);
      }
    },
  };
}
