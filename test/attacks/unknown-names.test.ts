// Anonymous callers cannot find out whether clients and organisations exist, or change anything by their requests.
// Covers every route.

import { describe, expect, test } from "bun:test";
import { createPlaceholderTenant } from "../../server/identity/oauth/console-client.ts";
import { admit, countFailure, type SignInTry } from "../../server/identity/signin/throttle.ts";
import { createVault } from "../../server/platform/vault.ts";
import { composedApp } from "../support/composed-app.ts";
import { expectError, ok, until } from "../world/api.ts";
import { CALLBACK, issuer, newClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { holdTable } from "../world/locks.ts";
import { tenantOf } from "../world/planted.ts";
import { columnsOf } from "../world/postgresql.ts";
import { countOf, rowsOf, setRows } from "../world/rows.ts";
import { clientOf, db, newTenant, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** Higher than any Id in the tests. */
const UNKNOWN = "900719925474";

const PATHS = [...new Set(composedApp().routes.map(({ path }) => path.replace(/\*$/, "x").replace(/:\w+\??/g, "1")))];

async function nameOf(tenantId: string): Promise<string> {
  return (await tenantOf({ tenantId })).name;
}

/** The Id of the Application of Settings. */
async function settingsOf(tenantId: string): Promise<string> {
  return (await tenantOf({ tenantId })).settings;
}

interface Seen {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A response without the parts that differ each time. */
async function ask(
  method: "GET" | "POST",
  path: string,
  clientId: string,
  fields: Record<string, string>,
  ids = [clientId],
): Promise<Seen> {
  const request = `${RFC_PATH}?${new URLSearchParams({ client_id: clientId, redirect_uri: "https://app.example/other", response_type: "code" })}`;
  const sent = new URLSearchParams({ request, ...fields, client_id: clientId });
  const response = await fetch(`${shared().url}${path}${method === "GET" ? `?${sent}` : ""}`, {
    method,
    redirect: "manual",
    body: method === "POST" ? sent : undefined,
  });
  return seen(response.status, response.headers, await response.text(), ids);
}

/** @param ids requested ids, which are removed from each response, because one may occur by chance */
function seen(status: number, allHeaders: Headers, text: string, ids: string[] = []): Seen {
  const plain = (shown: string) => {
    // Removes random values first, because they may contain an id by chance.
    const lasting = shown
      // With the same length.
      .replace(/[\w-]{43,}/g, (opaque) => `OPAQUE${opaque.length}`)
      .replace(/(?<=OPAQUE43\.)\d{10}/g, "TIME")
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "KEY")
      .replace(/Try again in \d+ seconds?/g, "Try again in a while");
    return ids.reduce((kept, id) => kept.replaceAll(id, "CLIENT"), lasting);
  };
  const varying = ["date", "x-request-id", "content-length", "retry-after"];
  const headers = [...allHeaders].filter(([name]) => !varying.includes(name));
  return {
    status,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, plain(value)])),
    body: plain(text),
  };
}

const WAYS: [string, Record<string, string>][] = [
  ["nothing else", {}],
  [
    "an address that is not registered",
    { redirect_uri: "https://app.example/other", response_type: "code", state: "s" },
  ],
  ["no address, and no OpenID Connect", { response_type: "code", scope: "profile" }],
  ["no address", { response_type: "code", scope: "openid" }],
  ["a wrong secret and a grant", { client_secret: "wrong", grant_type: "client_credentials", token: "x" }],
  ["no secret and a grant", { grant_type: "client_credentials", token: "x" }],
  ["a code of nobody's", { client_secret: "wrong", grant_type: "authorization_code", code: "x" }],
  ["where to go after signing out", { post_logout_redirect_uri: CALLBACK }],
  ["a user name and a password", { username: "admin", password: "wrong", decision: "allow" }],
];

describe.concurrent("an existing and an unknown client", () => {
  test.each(WAYS)("get the same answer from every route: with %s", async (_, fields) => {
    // Two addresses, so the parameter cannot be left out.
    const client = await newClient({ redirect_uris: [CALLBACK, `${CALLBACK}/2`] });
    const told: string[] = [];
    for (const path of PATHS) {
      for (const method of ["GET", "POST"] as const) {
        const ids = [client.id, UNKNOWN];
        const [known, unknown] = [
          await ask(method, path, client.id, fields, ids),
          await ask(method, path, UNKNOWN, fields, ids),
        ];
        if (!Bun.deepEquals(known, unknown)) told.push(`${method} ${path} ${known.status} ${unknown.status}`);
      }
    }
    expect(told).toEqual([]);
  });

  test("an inactive one gets it too, at both authorization endpoints", async () => {
    const client = await newClient();
    await setRows("applications", { id: client.id }, { is_active: false });
    const fields = { redirect_uri: CALLBACK, response_type: "code", scope: "openid" };
    for (const path of [RFC_PATH, SPEC_PATH]) {
      expect(await ask("GET", path, client.id, fields)).toEqual(await ask("GET", path, UNKNOWN, fields));
    }
  });
});

const UNKNOWN_NAMES = [`"><b>no such one`, "0198c0de-0000-7000-8000-000000000000", "\0"];

/** The pages from entering a name to repeatedly rejected passwords. */
async function way(name: string, tries: number): Promise<Seen[]> {
  const visitor = new Visitor(issuer());
  const path = `/settings/sign-in?${new URLSearchParams({ organisation: name, next: "/settings/webhooks" })}`;
  const asked = await fetch(issuer() + path, { redirect: "manual" });
  const steps = [seen(asked.status, asked.headers, await asked.text())];
  let page = await visitor.open(path);
  const note = () => steps.push(seen(page.status, page.headers, page.html));
  note();
  // Other responses of its Application do not reveal it either.
  const request = new URL(visitor.trail.at(-1)!.url);
  for (const [key, value] of Object.entries({ prompt: "none", redirect_uri: CALLBACK, login_hint: "admin" })) {
    const other = new URL(request);
    other.searchParams.set(key, value);
    const answer = await fetch(other, { redirect: "manual" });
    steps.push(seen(answer.status, answer.headers, await answer.text()));
  }
  for (let tried = 0; tried < tries; tried++) {
    page = await visitor.submit(page, { username: "admin", password: "wrong" });
    note();
  }
  return steps;
}

describe.concurrent("an existing and an unknown organisation", () => {
  test("show the same sign-in form, the same refusals and the same throttling", async () => {
    const caller = await newTenant();
    const known = await way(await nameOf(caller.tenantId), 7);
    expect(known.map(({ status }) => status)).toEqual([303, 200, 302, 404, 200, 422, 422, 422, 422, 422, 422, 429]);
    expect(await way("No such organisation", 7)).toEqual(known);
    // All tests share an address, so the number of attempts is limited.
    for (const name of UNKNOWN_NAMES) expect(await way(name, 1)).toEqual(known.slice(0, 6));
  });

  test("behave alike when the Application of Settings is inactive", async () => {
    const { tenant } = await newTenant();
    const caller = await clientOf(tenant);
    await caller.made("Application", { Id: await settingsOf(caller.tenantId), Is_Active: false });
    const visitor = new Visitor(issuer());
    const page = await visitor.open(`/settings/sign-in?organisation=${caller.tenantId}`);
    expect(page.heading).toBe("Sign in");
    expect((await visitor.submit(page, tenant.admin)).html).toContain("Wrong user name or password.");
  });

  test("cannot be told apart by the Id of the Application of Settings", async () => {
    const { tenantId } = await newTenant();
    const fields = { redirect_uri: `${issuer()}/settings/callback`, response_type: "code", scope: "openid" };
    for (const path of [RFC_PATH, SPEC_PATH]) {
      expect(await ask("GET", path, await settingsOf(tenantId), fields)).toEqual(
        await ask("GET", path, UNKNOWN, fields),
      );
    }
  });

  test("share an address's limit of attempts, and do not block their owners", async () => {
    const { tenantId } = await newTenant();
    const at = (name: string): SignInTry => ({
      tenantId: createPlaceholderTenant(createVault(Buffer.alloc(32).toString("base64")))(name),
      account: "admin",
      factor: "password",
      address: `of ${tenantId}`,
      knownDevice: undefined,
      knownAddress: false,
      isNamed: true,
    });
    for (let tried = 0; tried <= 50; tried++) {
      expect(await admit(db(), at(`name ${tried}`))).toBeUndefined();
      await countFailure(db(), at(`name ${tried}`));
    }
    expect(await admit(db(), at("one more"))).toBeGreaterThan(0);
    expect(await admit(db(), { ...at("one more"), knownDevice: Buffer.alloc(32) })).toBeUndefined();
    expect(await admit(db(), { ...at("one more"), address: `also of ${tenantId}` })).toBeUndefined();
  });
});

describe.concurrent("a client with a wrong secret", () => {
  test("is answered before the audit log is written", async () => {
    const client = await newClient();
    const { tenantId } = client.tenant;
    const rows = () => rowsOf("audit_log", { tenant_id: tenantId, kind: "ClientAuthentication.Failed" });
    // No row is written during the test.
    await using hold = await holdTable("audit_log", "share");
    const response = await fetch(`${shared().url}/oauth2/token`, {
      method: "POST",
      body: new URLSearchParams({ client_id: client.id, client_secret: "wrong", grant_type: "client_credentials" }),
      signal: AbortSignal.timeout(30_000),
    });
    expect(response.status).toBe(401);
    expect(await rows()).toHaveLength(0);
    await hold.release();
    await until("the row", async () => (await rows()).length === 1);
  });
});

/** The number of a tenant's rows in each table. The requests themselves may be listed. */
async function countsOf(tenantId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, column } of await columnsOf()) {
    // Earlier requests and tokens are written later.
    if (column !== "tenant_id" || ["requests", "issued_tokens"].includes(table)) continue;
    counts[table] = await countOf(table, { tenant_id: tenantId });
  }
  return counts;
}

describe.concurrent("an anonymous GET", () => {
  test("writes nothing, even when Settings is opened for the first time", async () => {
    const client = await newClient();
    const { tenantId } = client.tenant;
    const organisation = await nameOf(tenantId);
    const before = await countsOf(tenantId);
    for (const path of PATHS) {
      await ask("GET", path, client.id, { organisation, redirect_uri: CALLBACK, response_type: "code" });
    }
    expect(await countsOf(tenantId)).toEqual(before);
  });
});

describe.concurrent("the Application of Settings", () => {
  test("is created with the tenant and cannot be deleted", async () => {
    const caller = await newTenant();
    const path = `/Application/${await settingsOf(caller.tenantId)}`;
    expect(await ok(caller.get(path))).toMatchObject({ Name: "Gatehouse Settings", Is_System: true, Is_Active: true });
    expectError(await caller.remove(path), 409, "Conflict", /Application of Settings/);
    expect((await caller.get(path)).status).toBe(200);
  });

  test("signs users in whatever its credentials were changed to", async () => {
    const { tenant } = await newTenant();
    const caller = await clientOf(tenant);
    const path = `/Application/${await settingsOf(caller.tenantId)}/Credentials`;
    await ok(caller.patch(path, { RedirectUris: [], Scopes: ["openid"], FirstParty: false }));
    await ok(caller.patch("/Application", { Id: await settingsOf(caller.tenantId), Name: "Another name" }));
    const visitor = new Visitor(issuer());
    const page = await visitor.open(`/settings/sign-in?organisation=${caller.tenantId}`);
    expect(page.html).not.toContain("Another name");
    expect((await visitor.submit(page, tenant.admin)).heading).toBe("Overview");
  });
});
