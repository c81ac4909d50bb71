// Applications in a browser may call from the origins of their own client's redirect URIs, and other pages may not.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ASKED_HEADERS_LIMIT } from "../../server/platform/http/cors.ts";
import { openWindows } from "../support/browser.ts";
import { API, ok } from "../world/api.ts";
import { answerOf, type Client, newClient, newPkce, setCredentials } from "../world/client.ts";
import { DOORS, form } from "../world/grants.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant, request, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const browser = openWindows();
const pages = new Map<string, Page>();
const servers: Bun.Server<undefined>[] = [];
afterAll(() => servers.forEach((server) => void server.stop(true)));

/** An empty page at a new origin. */
async function newOrigin(hostname = "127.0.0.1"): Promise<string> {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>App</title>", { headers: { "content-type": "text/html" } }),
  });
  servers.push(server);
  const origin = `http://${hostname}:${server.port}`;
  const page = await browser.newPage();
  await page.goto(origin);
  pages.set(origin, page);
  return origin;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Read {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
  body: any;
}

/** The result of a script that reads a response; "kept from it" if CORS blocks it. */
function read(origin: string, path: string, sent: Sent): Promise<Read | "kept from it"> {
  const call = async ([url, init]: [string, Sent]) => {
    try {
      const response = await fetch(url, { ...init, mode: "cors" });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), body: text && JSON.parse(text) };
    } catch (error) {
      if (error instanceof TypeError) return "kept from it" as const;
      throw error;
    }
  };
  return pages.get(origin)!.evaluate(call, [shared().url + path, sent] as [string, Sent]);
}

const asForm = { "content-type": "application/x-www-form-urlencoded" };
const postForm = (fields: Record<string, string>): Sent => ({
  method: "POST",
  headers: asForm,
  body: form(fields).toString(),
});

let own: string;
let foreign: string;
/** The origin of another tenant's client, which may only call for itself. */
let neighbour: string;
let client: Client;
let neighboursClient: Client;
const redirect = () => `${own}/callback`;

beforeAll(async () => {
  [own, foreign, neighbour] = await Promise.all([newOrigin(), newOrigin("foreign.localhost"), newOrigin()]);
  const isPublic = { client_type: "public", grant_types: ["authorization_code", "refresh_token"] } as const;
  const scopes = ["openid", "profile", "AccessManager:Read", "AccessManager:Create", "AccessManager:Update"];
  const publicClient = (origin: string) =>
    newClient({ ...isPublic, grant_types: [...isPublic.grant_types], scopes, redirect_uris: [`${origin}/callback`] });
  [client, neighboursClient] = await Promise.all([publicClient(own), publicClient(neighbour)]);
});

/** A code with its redemption. */
async function grant(of = client, redirect_uri = redirect()): Promise<Record<string, string>> {
  const { verifier, challenge } = newPkce();
  const scope = "openid profile AccessManager:Read AccessManager:Create AccessManager:Update";
  const view = await of.visit(new Visitor(), { redirect_uri, scope, ...challenge });
  const { code } = answerOf(view);
  return {
    ...{ grant_type: "authorization_code", client_id: of.id, redirect_uri },
    code: code!,
    code_verifier: verifier,
  };
}

async function tokens(): Promise<{ access_token: string; refresh_token: string }> {
  return (await request("POST", "/oauth2/token", { body: form(await grant()) })).body;
}

describe("a page with the origin of one of the client's redirect URIs", () => {
  test.each(DOORS)("redeems its code at %s", async (path) => {
    const answer = (await read(own, path, postForm(await grant()))) as Read;
    expect([answer.status, answer.body.token_type]).toEqual([200, "Bearer"]);
    expect(answer.headers["x-request-id"]).toBeString();
  });

  test("reads userinfo after a preflight", async () => {
    const headers = { authorization: `Bearer ${(await tokens()).access_token}` };
    const answer = (await read(own, "/oauth2/userinfo", { headers })) as Read;
    expect(answer.body.preferred_username).toBe("admin");
  });

  test("reads and changes records with ETags", async () => {
    const headers = { authorization: `Bearer ${(await tokens()).access_token}`, "content-type": "application/json" };
    const made = (await read(own, `${API}/Department`, { method: "POST", headers, body: '{"Name":"Sales"}' })) as Read;
    expect(made.status).toBe(200);
    const one = (await read(own, `${API}/Department/${made.body.Id}`, { headers })) as Read;
    expect(one.headers.etag).toBeString();
    const changed = (await read(own, `${API}/Department`, {
      method: "PATCH",
      headers: { ...headers, "if-match": one.headers.etag! },
      body: JSON.stringify({ Id: made.body.Id, Name: "Sales and service" }),
    })) as Read;
    expect(changed.body.Name).toBe("Sales and service");
  });

  test("reads errors", async () => {
    const used = await grant();
    await request("POST", "/oauth2/token", { body: form(used) });
    expect(await read(own, "/oauth2/token", postForm(used))).toMatchObject({ body: { error: "invalid_grant" } });
    const expired = { headers: { authorization: "Bearer e30.e30.e30" } };
    const answer = (await read(own, `${API}/User`, expired)) as Read;
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, 'Bearer error="invalid_token"']);
  });

  test("revokes its refresh token", async () => {
    const { refresh_token: token } = await tokens();
    const answer = (await read(own, "/oauth2/revoke", postForm({ client_id: client.id, token }))) as Read;
    expect(answer.status).toBe(200);
    const gone = await client.refresh(token);
    expect(gone.status).not.toBe(200);
  });
});

describe("a page of another origin", () => {
  /** An origin of no client, and of a different client. */
  const others = () => [foreign, neighbour];

  test.each(DOORS)("reads what %s answers", async (path) => {
    for (const origin of others()) expect(await read(origin, path, postForm(await grant()))).toBe("kept from it");
  });

  test("cannot read userinfo or records with a stolen token", async () => {
    const headers = { authorization: `Bearer ${(await tokens()).access_token}` };
    for (const origin of others()) {
      expect(await read(origin, "/oauth2/userinfo", { headers })).toBe("kept from it");
      expect(await read(origin, `${API}/User`, { headers })).toBe("kept from it");
      // A form is sent without a preflight, but the page cannot read its answer.
      const sent = postForm({ access_token: headers.authorization.slice("Bearer ".length) });
      expect(await read(origin, "/oauth2/userinfo", sent)).toBe("kept from it");
    }
  });

  test("cannot send a change that needs a preflight", async () => {
    const headers = { authorization: `Bearer ${(await tokens()).access_token}`, "content-type": "application/json" };
    const sent = { method: "POST", headers, body: '{"Name":"From elsewhere"}' };
    expect(await read(foreign, `${API}/Department`, sent)).toBe("kept from it");
    const rows = await rowsOf("departments", { tenant_id: client.tenant.tenantId, name: "From elsewhere" });
    expect(rows).toBeEmpty();
  });

  test("cannot introspect, even for the client itself, which needs a secret", async () => {
    const { access_token: token } = await tokens();
    expect(await read(own, "/oauth2/introspect", postForm({ client_id: client.id, token }))).toBe("kept from it");
  });
});

test("every page reads answers of registration, which has no client yet and requires a token", async () => {
  const tenant = await newTenant();
  await ok(tenant.patch("/TenantSettings", { ClientRegistration: "Open" }));
  const headers = { "content-type": "application/json" };
  const metadata = { redirect_uris: ["https://spa.example/callback"], token_endpoint_auth_method: "none" };
  const path = `/oauth2/register/${tenant.tenantId}`;
  const made = (await read(foreign, path, { method: "POST", headers, body: JSON.stringify(metadata) })) as Read;
  expect([made.status, made.body.redirect_uris]).toEqual([201, metadata.redirect_uris]);
  const client = new URL(made.body.registration_client_uri).pathname;
  const authorization = `Bearer ${made.body.registration_access_token}`;
  expect(await read(foreign, client, { headers: { authorization } })).toMatchObject({ status: 200 });
  expect(await read(foreign, client, {})).toMatchObject({ status: 401, body: { error: "invalid_token" } });
  const changed = { ...metadata, client_id: made.body.client_id };
  const put = { method: "PUT", headers: { ...headers, authorization }, body: JSON.stringify(changed) };
  const { body } = (await read(foreign, client, put)) as Read;
  const remove = { method: "DELETE", headers: { authorization: `Bearer ${body.registration_access_token}` } };
  expect(await read(foreign, client, remove)).toMatchObject({ status: 204 });
});

test("a page without an origin, as in a sandboxed frame, matches no client", async () => {
  const answer = await request("POST", "/oauth2/token", { headers: { origin: "null" }, body: form(await grant()) });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("an origin is compared completely: no prefix, no other scheme or port", async () => {
  const near = await newClient({ redirect_uris: ["https://app.example.com/callback", "com.example.app:/callback"] });
  const allows = async (origin: string) => {
    const body = form({ client_id: near.id, client_secret: near.tenant.client.clientSecret, grant_type: "password" });
    const answer = await request("POST", "/oauth2/token", { headers: { origin }, body });
    return answer.headers.get("access-control-allow-origin");
  };
  expect(await allows("https://app.example.com")).toBe("https://app.example.com");
  const wrong = ["https://app.example.co", "https://app.example.com.evil.example", "http://app.example.com"];
  for (const origin of [...wrong, "https://app.example.com:8443", "https://example.com", "com.example.app:", ""]) {
    expect([origin, await allows(origin)]).toEqual([origin, null]);
  }
});

test("a native app's loopback origin matches any port, another application's its own only", async () => {
  const redirect_uris = ["http://127.0.0.1:4000/callback"];
  const native = await newClient({ client_type: "native", redirect_uris });
  const web = await newClient({ client_type: "public", redirect_uris });
  const allows = async ({ id }: Client, origin: string) => {
    const body = form({ client_id: id, grant_type: "password" });
    const answer = await request("POST", "/oauth2/token", { headers: { origin }, body });
    return answer.headers.get("access-control-allow-origin") === origin;
  };
  expect(await allows(native, "http://127.0.0.1:51234")).toBe(true);
  expect(await allows(native, "http://localhost:51234")).toBe(false);
  expect(await allows(web, "http://127.0.0.1:4000")).toBe(true);
  expect(await allows(web, "http://127.0.0.1:51234")).toBe(false);
});

describe("a preflight", () => {
  const PATHS = [...DOORS, "/oauth2/revoke", "/oauth2/par", "/oauth2/userinfo", `${API}/User`, `${API}/User/7`];
  const ask = (path: string, origin: string) =>
    request("OPTIONS", path, { headers: { origin, "access-control-request-method": "POST" } });

  test.each(PATHS)("for %s is answered for origins of clients only, without credentials", async (path) => {
    const [known, unknown] = await Promise.all([ask(path, own), ask(path, "https://spa.example.com")]);
    expect([known.status, unknown.status]).toEqual([204, 204]);
    expect(known.headers.get("access-control-allow-origin")).toBe(own);
    expect(known.headers.get("access-control-allow-methods")).toContain("POST");
    expect(known.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(known.headers.get("vary")).toBe("Origin");
    expect(known.headers.get("access-control-allow-credentials")).toBeNull();
    expect(unknown.headers.get("access-control-allow-origin")).toBeNull();
    expect(unknown.headers.get("vary")).toBe("Origin");
  });

  /** Headers of Swagger UI, Sentry, OpenTelemetry, Datadog, MCP clients and caches. */
  const ASKED = [
    "x-requested-with",
    "authorization,baggage,content-type,sentry-trace",
    "traceparent, tracestate, cache-control, pragma",
    "x-datadog-trace-id,mcp-protocol-version,dpop",
    `x-${"a".repeat(ASKED_HEADERS_LIMIT - 2)}`,
  ];
  const REFUSED = [`x-${"a".repeat(ASKED_HEADERS_LIMIT - 1)}`, "a b", "x;y", "a,,b", "(x)", '"x"', "*: x"];
  const OPEN = ["/.well-known/openid-configuration", "/.well-known/jwks.json", "/oauth2/register"];

  test.each([...PATHS, ...OPEN])("for %s allows every header that a page asks for", async (path) => {
    const allowed = async (asked: string) => {
      const headers = {
        origin: own,
        "access-control-request-method": "POST",
        "access-control-request-headers": asked,
      };
      return (await request("OPTIONS", path, { headers })).headers.get("access-control-allow-headers");
    };
    for (const asked of ASKED) expect(await allowed(asked)).toBe(asked);
    for (const asked of REFUSED) {
      expect(await allowed(asked)).toBe(
        "Authorization, Content-Type, DPoP, Idempotency-Key, If-Match, If-None-Match, X-Request-Id",
      );
    }
  });

  test("follows a change of the redirect URIs", async () => {
    const moving = await newClient({ client_type: "public", redirect_uris: ["https://before.example/callback"] });
    const allowed = async (origin: string) =>
      (await ask("/oauth2/token", origin)).headers.has("access-control-allow-origin");
    const origin = `https://${Bun.randomUUIDv7()}.example`;
    expect(await allowed(origin)).toBe(false);
    await setCredentials(moving.id, { redirect_uris: [`${origin}/callback`] });
    expect(await allowed(origin)).toBe(true);
  });
});

test("answers without an origin vary by it", async () => {
  const answer = await request("GET", `${API}/User`);
  expect(answer.headers.get("vary")).toBe("Origin");
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("a page calls with its neighbour client", async () => {
  const sent = postForm(await grant(neighboursClient, `${neighbour}/callback`));
  expect(await read(neighbour, "/oauth2/token", sent)).toMatchObject({ status: 200 });
});
