// The longest anonymous requests: each is answered in its documented form, and delays no other tenant's request.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { API_PATH } from "../../server/platform/http/request.ts";
import { composedApp } from "../support/composed-app.ts";
import { type EmptyDatabase, newEmptyDatabase } from "../support/empty-database.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { type Api, ok } from "../world/api.ts";
import { CALLBACK, newPkce } from "../world/client.ts";
import { newTenant, setting } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { FORM, type Hostile, hostileTo, longPaths } from "./hostile.ts";

const PATIENCE_MS = 1_200_000;
/** The neighbour's request may take this long beside a hostile one, and five times its time alone. */
const DELAY_MS = 100;
/** A busy machine delays requests as well, but not each time. */
const TRIES = 8;
/** Requests at the same time. If the neighbour is delayed, they are repeated one by one. */
const TOGETHER = 8;
/** Characters. */
const LINE_LIMIT = 2_048;

let database: EmptyDatabase;
let server: StartedProcess;
let url: string;
let neighbour: Api;
let ids: Record<string, string>;
let cookie: string;
let fields: Record<string, string>;
/** Milliseconds of the neighbour's request without an attack. */
let alone: number;

beforeAll(async () => {
  database = await newEmptyDatabase();
  url = `http://localhost:${await nextFreePort(0, "127.0.0.1", new Set())}`;
  server = startProcess("server/serve.ts", {
    ...{ DATABASE_URL: database.url, MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY") },
    ...{ PORT: new URL(url).port, PUBLIC_URL: url, TRUST_PROXY: "true" },
    ...{ RATE_LIMIT: "100000", RATE_LIMIT_BURST: "100000" },
  });
  await server.said((message) => message === "api ready");
  const newInstalled = () => newTenant({ url, databaseUrl: database.url });
  const [api, other] = await Promise.all([newInstalled(), newInstalled()]);
  neighbour = other;
  await ok(api.patch("/TenantSettings", { ClientRegistration: "Open" }));
  const client = await newPublicClient(api);
  const app = { response_type: "code", client_id: client, redirect_uri: CALLBACK, scope: "openid", state: "x" };
  const asked = { ...app, ...newPkce().challenge };
  const request = `/oauth2/authorize?${new URLSearchParams(asked)}`;
  const browser = new Visitor(url);
  const page = await browser.open(request);
  cookie = browser.cookieHeader;
  ids = { id: "1", tenant: api.tenantId, client_id: client };
  fields = {
    ...asked,
    ...page.forms[0]!.fields,
    ...{ request, username: api.tenant.admin.username, password: "wrong", organisation: api.tenantId },
    ...{ code: "wrong", grant_type: "authorization_code", token: "wrong", user_code: "BCDF-GHJK", link: "x" },
  };
  const times: number[] = [];
  for (let call = 0; call < 50; call++) times.push(await ask());
  alone = times.toSorted((a, b) => a - b)[25]!;
}, PATIENCE_MS);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function newPublicClient(api: Api): Promise<string> {
  const { Id } = await ok(api.patch("/Application", { Name: "Public", Is_Active: true }));
  const GrantTypes = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];
  const credentials = { ClientType: "public", GrantTypes, RedirectUris: [CALLBACK], Scopes: ["openid"] };
  await ok(api.patch(`/Application/${Id}/Credentials`, credentials));
  return Id;
}

/** @returns the milliseconds of the neighbour's request */
async function ask(): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${url}${API_PATH}/Entities`, { headers: { authorization: `Bearer ${neighbour.token}` } });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  return performance.now() - began;
}

const paths = [...new Set(composedApp().routes.map(({ path }) => path))].filter((path) => !path.startsWith("/assets/"));

test.each(paths)(
  "%s",
  async (pattern) => {
    const path = pattern.replace(/:(\w+)/g, (_, name) => ids[name] ?? "1").replace("*", "x");
    // These addresses carry the request in base64url.
    const request = /^\/signin\/(upstream|local)/.test(path) && Buffer.from(fields.request!).toString("base64url");
    await endure([...hostileTo(path, { ...fields, ...(request && { request }) })]);
  },
  PATIENCE_MS,
);

test(
  "long paths",
  async () => {
    const starts = ["/", "/settings/", "/settings/users/", "/assets/", "/openapi/", "/.well-known/", "/scim/v2/"];
    await endure([
      ...longPaths([...starts, `${API_PATH}/`, `${API_PATH}/User/`, "/oauth2/clients/", "/signin/upstream/"]),
    ]);
  },
  PATIENCE_MS,
);

test("the log has only the start of each text that a caller supplied", () => {
  expect(server.lines.length).toBeGreaterThan(1_000);
  expect(server.lines.filter(({ redirectUri }) => String(redirectUri).length > 200).length).toBeGreaterThan(2);
  expect(server.lines.filter((line) => JSON.stringify(line).length > LINE_LIMIT)).toEqual([]);
});

/** Each is answered in its documented form, and none delays the neighbour. */
async function endure(hostile: readonly Hostile[]): Promise<void> {
  const wrong: Answered[] = [];
  const slow: { name: string; method: string; delay: number }[] = [];
  for (let at = 0; at < hostile.length; at += TOGETHER) {
    const batch = hostile.slice(at, at + TOGETHER);
    const { delay, answers } = await beside(batch, TRIES / 2);
    wrong.push(...answers.filter(({ form }) => form !== "documented"));
    for (const one of isTooLong(delay) ? batch : []) {
      const { name, method } = one;
      const { delay: ofOne } = await beside([one], TRIES);
      if (isTooLong(ofOne)) slow.push({ name, method, delay: Math.round(ofOne) });
    }
  }
  expect({ wrong, slow }).toEqual({ wrong: [], slow: [] });
}

const isTooLong = (delay: number) => delay > DELAY_MS + 5 * alone;

/** @returns the shortest time that the neighbour waited beside these requests */
async function beside(hostile: readonly Hostile[], tries: number): Promise<{ delay: number; answers: Answered[] }> {
  let delay = Number.POSITIVE_INFINITY;
  const answers: Answered[] = [];
  for (let turn = 0; turn < tries && isTooLong(delay); turn++) {
    const sent = Promise.all(hostile.map(send));
    delay = Math.min(delay, await ask());
    answers.push(...(await sent));
  }
  return { delay, answers };
}

interface Answered extends Pick<Hostile, "name" | "method"> {
  status: number;
  form: string;
}

let calls = 0;

/** Each from its own network, so the limits of an address do not end the attack. */
async function send({ path, name, method, headers, body, isChunked }: Hostile): Promise<Answered> {
  calls++;
  const network = `2001:db8:${(calls >> 16).toString(16)}:${(calls & 0xffff).toString(16)}::1`;
  const answer = await fetch(url + path, {
    ...{ method, redirect: "manual", body: isChunked ? new Blob([body!]).stream() : body },
    headers: {
      ...{ accept: "text/html", "x-forwarded-for": network, cookie },
      ...(method === "POST" && { "content-type": FORM }),
      ...headers,
    },
  });
  return { name, method, status: answer.status, form: await formOf(answer) };
}

/** "documented": no error, or an error as a page or a record. */
async function formOf(answer: Response): Promise<string> {
  const text = await answer.text();
  // /readyz reports a PostgreSQL that does not answer in time.
  if (answer.status >= 500 && !text.includes('"postgresql":"down"')) return text;
  // Bun's own answer has no body.
  const isEmpty = answer.status === 431 || answer.headers.get("hx-refresh") === "true";
  if (answer.status < 400 || isEmpty || /<h1[ >]/.test(text)) return "documented";
  return /^\{.*("error"|"Errors"|"reasons"|"schemas"):/s.test(text) ? "documented" : text;
}
