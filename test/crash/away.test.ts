// Errors while PostgreSQL is unavailable or read-only: by a network failure, and by its own setting.

import { expect, test } from "bun:test";
import { createCookies } from "../../server/identity/signin/cookies.ts";
import { readConfig } from "../../server/platform/config/config.ts";
import { type PrivateApp, startPrivateApp } from "../support/private-app.ts";
import { startRelay } from "../support/relay.ts";
import { API, type Api, signIn, until } from "../world/api.ts";
import { type Json, operationsOf, resolve } from "../world/documented.ts";
import { holdRows, waitingFor } from "../world/locks.ts";
import { newTenant, shared } from "../world/tenant.ts";

/** Paths without database access. */
const WITHOUT_DATABASE = [
  "/healthz",
  "/readyz",
  "/openapi.json",
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  // Cached data is available.
  "/.well-known/jwks.json",
  // These reject a client's token for itself.
  "/oauth2/userinfo",
  "/oauth2/clients/{client_id}",
];
const RFC_DOOR = "/oauth2/";
const SPEC_TOKEN = "/oAuth/rest/v2/Token";
/** Methods that a page may have; others get 405 first. */
const PAGE_METHODS = ["GET", "POST"];
/** With the names that a private app has by default. */
const SESSION = (["session", "settings"] as const)
  .map((name) => createCookies(readConfig({}).publicUrl).set(name, "A".repeat(43)).split(";")[0])
  .join("; ");
const QUERY = "?client_id=1001&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&state=any";

test("without PostgreSQL every operation answers 503 in its own error format, with Retry-After", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  await using app = startPrivateApp({}, "info", relay);
  const { api, headers } = await signedIn(app);
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as Json;
  relay.cut();

  const operations = operationsOf(document).filter(
    ({ path }) => path.startsWith("/") && !WITHOUT_DATABASE.includes(path),
  );
  expect(operations.length).toBeGreaterThan(80);
  for (const { path, method, operation } of operations) {
    const isForm = operation.requestBody?.content["application/x-www-form-urlencoded"] !== undefined;
    const answer = await fetch(app.url + withIds(path), {
      method: method.toUpperCase(),
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
      headers: isForm ? {} : { ...headers, "content-type": "application/json" },
      body:
        method === "get" || method === "delete"
          ? undefined
          : isForm
            ? formFor(path, api)
            : exampleOf(document, operation),
    });
    const text = await answer.text();
    const told = { method, path, status: answer.status, retryAfter: answer.headers.get("retry-after"), text };
    if (isPage(path)) {
      expect({ ...told, text: "" }).not.toMatchObject({ status: 500 });
      if (answer.status === 503) expect(told).toMatchObject({ retryAfter: "2" });
      continue;
    }
    expect(told).toMatchObject({ status: 503, retryAfter: "2" });
    const body = JSON.parse(text);
    if (path.startsWith(RFC_DOOR))
      expect(body).toEqual({ error: "temporarily_unavailable", error_description: expect.any(String) });
    else
      expect(body).toMatchObject({
        StatusCode: 503,
        Type: "/Errors/Service Unavailable",
        Instance: expect.any(String),
      });
    if (path === SPEC_TOKEN) expect(body).toMatchObject({ error: "Service Unavailable" });
  }

  relay.mend();
  await until("PostgreSQL to be there again", async () => (await api.call("GET", "/Application")).status === 200);
  const failures = app.lines.filter(({ level }) => Number(level) >= 50);
  expect(failures).toEqual([]);
  expect(app.lines.filter(({ msg }) => String(msg).startsWith("PostgreSQL is unavailable")).length).toBeGreaterThan(0);
});

test("without PostgreSQL pages ask the browser to come back later", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  await using app = startPrivateApp({}, "info", relay);
  await signedIn(app);
  relay.cut();
  const pages = new Set(
    app.routes.map(({ path }) => path).filter((path) => isPage(path) && !path.startsWith("/assets")),
  );
  expect(pages.size).toBeGreaterThan(50);
  let shown = 0;
  for (const path of pages) {
    for (const method of PAGE_METHODS) {
      const answer = await fetch(`${app.url}${path.replace(/:[^/]+|\*$/g, "1001")}${QUERY}`, {
        method,
        redirect: "manual",
        headers: { cookie: SESSION, accept: "text/html", "sec-fetch-mode": "navigate" },
        body: method === "POST" ? new URLSearchParams({ csrf: "none" }) : undefined,
      });
      const text = await answer.text();
      expect({ method, path, status: answer.status }).not.toMatchObject({ status: 500 });
      if (answer.status !== 503) continue;
      shown++;
      expect([method, path, answer.headers.get("retry-after")]).toEqual([method, path, "2"]);
      expect(text).toContain("The database is temporarily unavailable.");
      expect(answer.headers.get("content-type")).toStartWith("text/html");
    }
  }
  expect(shown).toBeGreaterThan(50);
});

test("while PostgreSQL is read-only, writes get 503 and reads are answered", async () => {
  const databaseUrl = `${shared().databaseUrl}&options=${encodeURIComponent("-c default_transaction_read_only=on")}`;
  await using app = startPrivateApp({}, "info", { databaseUrl });
  const { api, headers, refreshToken } = await signedIn(app);
  const { clientId, clientSecret } = api.tenant.client;
  const client = { client_id: clientId, client_secret: clientSecret };
  expect((await api.call("GET", "/Application")).status).toBe(200);

  const change = await fetch(`${app.url}${API}/Application`, {
    method: "PATCH",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ Name: "Gate" }),
  });
  expect([change.status, change.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await change.json()).toMatchObject({ Errors: [expect.stringContaining("temporarily read-only")] });

  const token = await post(`${app.url}${SPEC_TOKEN}`, {
    ...client,
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  });
  expect([token.status, token.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await token.json()).toMatchObject({ error: "Service Unavailable", StatusCode: 503 });

  const revoked = await post(`${app.url}/oauth2/revoke`, {
    ...client,
    token: headers.authorization.slice("Bearer ".length),
  });
  expect([revoked.status, revoked.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await revoked.json()).toMatchObject({ error: "temporarily_unavailable" });

  const ready = await fetch(`${app.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    status: "unavailable",
    postgresql: "read-only",
    reasons: expect.arrayContaining(["PostgreSQL cannot save changes: it is read-only."]),
  });
});

test("while PostgreSQL hangs, every request gets 503, and service resumes with PostgreSQL", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  const patience = { answer_timeout: 5, wait_timeout: 5 };
  await using app = startPrivateApp({}, "info", { databaseUrl: relay.databaseUrl, patience });
  const { api, headers } = await signedIn(app);
  await api.change({ Name: "Gate" });
  relay.swallow();
  // More than the connections of the pool, and more changes than the tenant's share.
  const asked = Array.from({ length: 40 }, (_, index) =>
    fetch(`${app.url}${API}/Application`, {
      method: index % 5 === 0 ? "PATCH" : "GET",
      headers: { ...headers, "content-type": "application/json" },
      body: index % 5 === 0 ? JSON.stringify({ Name: `Gate ${index}` }) : undefined,
    }),
  );
  for (const answer of await Promise.all(asked)) {
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await answer.json()).toMatchObject({ Type: "/Errors/Service Unavailable" });
  }
  const ready = await fetch(`${app.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ postgresql: "down" })]);

  relay.mend();
  await until("PostgreSQL to be there again", async () => (await api.call("GET", "/Application")).status === 200);
  await api.change({ Name: "Gate", Description: "after" });
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
});

test("behind a balancer without a backend, every request gets 503", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  await using app = startPrivateApp({}, "info", relay);
  const { api, headers } = await signedIn(app);
  relay.abandon();
  // More than the connections of the pool.
  const asked = Array.from({ length: 20 }, () => fetch(`${app.url}${API}/Application`, { headers }));
  for (const answer of await Promise.all(asked)) {
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await answer.json()).toMatchObject({ Type: "/Errors/Service Unavailable" });
  }
  relay.mend();
  await until("PostgreSQL to be there again", async () => (await api.call("GET", "/Application")).status === 200);
});

test("a statement without an answer for too long is 503, and PostgreSQL ends it", async () => {
  // As in production, PostgreSQL's limit is near ours; here it is the longer one.
  const timeouts = { statement: 8_000, lock: 0, idle: 60_000 };
  const patience = { answer_timeout: 5, wait_timeout: 30, timeouts };
  await using app = startPrivateApp({}, "info", { databaseUrl: shared().databaseUrl, patience });
  const { api } = await signedIn(app);
  const { Id } = await api.change({ Name: "Gate" });
  await using lock = await holdRows("applications", { id: Number(Id) });
  expect((await api.call("PATCH", "/Application", { Id, Description: "changed" })).status).toBe(503);
  await until("nobody to wait for the lock", async () => (await waitingFor(lock)).length === 0);
  await lock.release();
  expect((await api.call("PATCH", "/Application", { Id, Description: "changed" })).status).toBe(200);
});

test("/readyz reports that PostgreSQL is away, and that it is back", async () => {
  await using relay = await startRelay(shared().databaseUrl);
  await using app = startPrivateApp({}, "info", relay);
  const readyz = async () => {
    const answer = await fetch(`${app.url}/readyz`);
    return { code: answer.status, ...((await answer.json()) as Json) };
  };
  await until("it to be there", async () => (await readyz()).code === 200);
  relay.cut();
  expect(await readyz()).toMatchObject({
    code: 503,
    status: "unavailable",
    postgresql: "down",
    reasons: expect.arrayContaining(["PostgreSQL does not answer."]),
  });
  relay.mend();
  await until("it to be back", async () => (await readyz()).postgresql === "up");
});

interface SignedIn {
  api: Api;
  headers: { authorization: string };
  refreshToken: string;
}

/** A tenant's client with a token from this app, which therefore has its keys and policies in memory. */
async function signedIn(app: PrivateApp): Promise<SignedIn> {
  const { tenant } = await newTenant();
  const api = await signIn(app.url, tenant);
  const { clientId: client_id, clientSecret: client_secret } = tenant.client;
  const token = await post(app.url + SPEC_TOKEN, { client_id, client_secret, grant_type: "client_credentials" });
  const { refresh_token: refreshToken } = (await token.json()) as { refresh_token: string };
  expect((await api.call("GET", "/Entities")).status).toBe(200);
  return { api, headers: { authorization: api.authorization }, refreshToken };
}

function post(url: string, form: Record<string, string>): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(form) });
}

/** A form that is valid until its client is looked up. */
function formFor(path: string, { tenant }: Api): URLSearchParams {
  const { clientId: client_id, clientSecret: client_secret } = tenant.client;
  const grant: Record<string, string> = path.endsWith("oken") ? { grant_type: "client_credentials" } : { token: "any" };
  return new URLSearchParams({ client_id, client_secret, ...grant });
}

const isPage = (path: string) =>
  /^\/(oauth|oAuth|oauth2)\/([aA]uthorize|logout)$|^\/(signin|consent|signout|account|device|settings)(\/|$)/.test(
    path,
  );

/** With plausible ids. */
function withIds(path: string): string {
  const isEntity = /\/(Application|User|Department|IdentityProvider)\//.test(path);
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    (name === "Id" && isEntity) || name === "ApplicationId" ? "1001" : "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
  );
}

/** A valid body of the operation. */
function exampleOf(document: Json, operation: Json): string {
  const examples = Object.values<Json>(
    resolve(document, operation.requestBody)?.content["application/json"]?.examples ?? {},
  );
  return JSON.stringify(resolve(document, examples[0])?.value ?? {});
}
