// Applications known by the address of their metadata (draft-ietf-oauth-client-id-metadata-document).

import { beforeEach, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { ok, requestAt, signIn } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { elapse, removeRows, rowsOf } from "../world/rows.ts";
import { assertion, assertionClaims, newSigner } from "../world/signer.ts";
import { Comer, documentOf, form, newInstallation, newSite, REDIRECT, set } from "../world/site.ts";

const here = closedAfterAll(await newInstallation());
beforeEach(async () => {
  await set(here, "On");
  await removeRows("open_registrations", {}, here.database.sql);
  here.site.asked.length = 0;
});

const applications = async () => (await ok(here.admin.get("/Application?Limit=200"))).Items as { Id: string }[];
const pathOf = (url: string) => new URL(url).pathname;
const timesAsked = (url: string) => here.site.asked.filter((path) => path === pathOf(url)).length;

interface Registered {
  application_id: number;
  document_read_on: Date;
  document_fresh_until: Date;
}

const registered = (url: string, { database } = here) =>
  rowsOf<Registered>("registered_clients", { document_url: url }, database.sql);

async function applicationOf(url: string): Promise<string> {
  const [row] = await registered(url);
  return String(row!.application_id);
}

/** Simulates elapsed seconds since it was read. */
async function age(url: string, seconds: number): Promise<void> {
  const columns = ["document_read_on", "document_tried_on", "document_fresh_until"];
  await elapse(`${seconds} seconds`, "registered_clients", { document_url: url }, columns, here.database.sql);
}

const HOUR = 3_600;

describe("an application identified by a client ID metadata document", () => {
  test("signs a user in, who sees its origin, and is then a client of the tenant", async () => {
    const url = here.site.publish();
    const comer = new Comer(here, url);
    const page = await comer.consent();
    expect(page.heading).toBe("Allow access");
    expect(page.html).toContain(`(${here.site.host})</strong> asks to`);
    expect(page.html).toContain(`only if you know <strong>${here.site.host}</strong>`);
    expect(page.html).not.toContain("logo.png");
    const answer = answerOf(await comer.visitor.submit(page, { decision: "allow" }));
    const tokens = await comer.redeem(answer.code!);
    expect(tokens.status).toBe(200);
    expect(decodeJwt(tokens.body.id_token).aud).toBe(url);
    const refreshed = await comer.token({
      ...{ grant_type: "refresh_token", client_id: url, refresh_token: tokens.body.refresh_token },
    });
    expect(refreshed.status).toBe(200);
    const headers = { authorization: `Bearer ${refreshed.body.access_token}` };
    expect((await requestAt(here.url, "GET", "/oauth2/userinfo", { headers })).body.sub).toStartWith("user-");
    expect(timesAsked(url)).toBe(1);

    const id = await applicationOf(url);
    const credentials = await ok(here.admin.get(`/Application/${id}/Credentials`));
    expect(credentials).toMatchObject({ RedirectUris: [REDIRECT], ClientType: "public", FirstParty: false });
    const rows = await ok(here.admin.get(`/AuditEvent?Kind=Client.Registered&SubjectType=Application&SubjectId=${id}`));
    expect(rows.Items[0].Details).toMatchObject({ DocumentUrl: url });
    // Only its address is its client_id.
    expect((await new Comer(here, id).open()).status).toBe(404);
    const byId = await comer.token({
      grant_type: "refresh_token",
      client_id: id,
      refresh_token: refreshed.body.refresh_token,
    });
    expect([byId.status, byId.body.error]).toEqual([401, "invalid_client"]);
    const hint = await comer.consent({ prompt: "none", id_token_hint: tokens.body.id_token });
    expect(answerOf(hint).code).toBeString();
  });

  test("is unknown and not fetched if the tenant does not accept such applications", async () => {
    const url = here.site.publish();
    await set(here, "Off");
    expect((await new Comer(here, url).open()).status).toBe(404);
    const other = new Comer(here, here.site.publish());
    await set(here, "On");
    const { refresh_token } = (await other.redeem(await other.code())).body;
    expect(timesAsked(url)).toBe(0);
    // Disabling the setting also disables existing applications.
    await set(here, "Off");
    expect((await other.open()).status).toBe(404);
    const late = await other.token({ grant_type: "refresh_token", client_id: other.clientId, refresh_token });
    expect([late.status, late.body.error]).toEqual([401, "invalid_client"]);
  });

  test.each([
    ["http", (host: string) => `http://${host}/a.json`],
    ["no path", (host: string) => `https://${host}`],
    ["a fragment", (host: string) => `https://${host}/a.json#b`],
    ["an empty fragment", (host: string) => `https://${host}/a.json#`],
    ["a user name", (host: string) => `https://me@${host}/a.json`],
    ["dot segments", (host: string) => `https://${host}/b/../a.json`],
    ["a dot segment", (host: string) => `https://${host}/./a.json`],
    ["an escaped dot segment", (host: string) => `https://${host}/%2e%2E/a.json`],
    ["a backslash", (host: string) => `https://${host}\\a.json`],
    ["a host in capitals", (host: string) => `https://${host.toUpperCase()}/a.json`],
    ["a space before it", (host: string) => ` https://${host}/a.json`],
    ["a NUL", (host: string) => `https://${host}/a.json\0`],
    ["1,001 characters", (host: string) => `https://${host}/a.json?${"a".repeat(1_000)}`],
    ["a default port", () => "https://app.example:443/a.json"],
    ["an address inside", () => "https://10.0.0.1/a.json"],
    ["an address of this machine", () => "https://127.0.0.1/a.json"],
  ])("is rejected for an address with %s", async (_, make) => {
    const url = make(here.site.host);
    here.site.pages.set("/a.json", () => Response.json(documentOf(url)));
    expect((await new Comer(here, url).open()).status).toBe(404);
    expect(here.site.asked).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ["another client_id", { client_id: "https://app.example/other.json" }, /client_id is not this address/],
    ["no client_id", { client_id: undefined }, /client_id is not this address/],
    ["a secret", { client_secret: "everybody reads this" }, /has client_secret/],
    ["a secret's end", { client_secret_expires_at: 0 }, /has client_secret_expires_at/],
    ["a secret's method", { token_endpoint_auth_method: "client_secret_post" }, /must be none or private_key_jwt/],
    ["a key nowhere", { token_endpoint_auth_method: "private_key_jwt" }, /needs jwks or jwks_uri/],
    ["keys elsewhere", { jwks_uri: "https://other.example/keys" }, /jwks_uri must be/],
    ["keys inside", { jwks_uri: "https://10.0.0.1/keys" }, /jwks_uri must be/],
    ["no redirect URI", { redirect_uris: undefined }, /redirect_uris is missing/],
    ["a script for a redirect URI", { redirect_uris: ["javascript:alert(1)"] }, /redirect_uris/],
    ["http for a redirect URI", { redirect_uris: ["http://app.example/callback"] }, /redirect_uris/],
    ["a name that turns the text", { client_name: "Pay\u202Eroll" }, /invisible/],
    ["no grant for codes", { grant_types: ["client_credentials"] }, /grant_types must have authorization_code/],
  ])("is rejected for a document with %s", async (_, document, says) => {
    const before = (await applications()).length;
    const view = await new Comer(here, here.site.publish(document)).open();
    expect([view.status, view.location]).toEqual([400, undefined]);
    expect(view.html.replaceAll("&#39;", "'")).toMatch(says);
    expect((await applications()).length).toBe(before);
  });

  test.each<[string, (body: object) => Response]>([
    ["a page", (body) => new Response(JSON.stringify(body), { headers: { "content-type": "text/html" } })],
    ["no type", (body) => new Response(new TextEncoder().encode(JSON.stringify(body)))],
    ["status 404", (body) => Response.json(body, { status: 404 })],
    ["status 203", (body) => Response.json(body, { status: 203 })],
    ["a list", (body) => Response.json([body])],
    ["no JSON", () => new Response("{", { headers: { "content-type": "application/json" } })],
    ["nothing", () => new Response(null, { headers: { "content-type": "application/json" } })],
    ["too much", (body) => Response.json({ ...body, more: "x".repeat(5 * 1_024) })],
    ["status 500", (body) => Response.json(body, { status: 500 })],
  ])("is rejected if the response is %s", async (_, answer) => {
    const url = here.site.publish({}, answer);
    const view = await new Comer(here, url).open();
    expect([view.status, view.location]).toEqual([400, undefined]);
    expect(await registered(url)).toHaveLength(0);
  });

  test("reveals nothing about the response of any address", async () => {
    const answers: ((body: object) => Response)[] = [
      (body) => Response.json(body, { status: 404 }),
      (body) => Response.json(body, { status: 403 }),
      (body) => Response.json(body, { status: 500 }),
      () => Response.redirect("https://app.example/"),
      () => new Response("<p>A page</p>", { headers: { "content-type": "text/html" } }),
      () => new Response("{", { headers: { "content-type": "application/json" } }),
      () => Response.json({ client_id: "https://app.example/other.json" }),
    ];
    const said = new Set<string>();
    for (const answer of answers) {
      const url = here.site.publish({}, answer);
      said.add((await new Comer(here, url).open()).html.replaceAll(url, "ADDRESS"));
    }
    // No server listens there.
    const closed = "https://localhost:2/a.json";
    said.add((await new Comer(here, closed).open()).html.replaceAll(closed, "ADDRESS"));
    expect([...said]).toHaveLength(1);
  });

  test("is not fetched from addresses allowed for webhooks only", async () => {
    await using inside = newSite();
    const url = inside.publish();
    // The installation's EGRESS_ALLOW includes it.
    expect(inside.host).not.toBe(here.site.host);
    expect((await new Comer(here, url).open()).status).toBe(400);
    expect(inside.asked).toEqual([]);
  });

  test("is not fetched through redirects", async () => {
    const target = here.site.publish();
    const url = here.site.publish({}, () => Response.redirect(target));
    expect((await new Comer(here, url).open()).status).toBe(400);
    expect(here.site.asked).toEqual([pathOf(url)]);
  });

  test("accepts any JSON media type", async () => {
    const headers = { "content-type": "application/client-metadata+json; charset=utf-8" };
    const url = here.site.publish({}, (body) => new Response(JSON.stringify(body), { headers }));
    expect((await new Comer(here, url).consent()).heading).toBe("Allow access");
  });

  test("gets only codes and refresh tokens, and scopes that the tenant allows", async () => {
    await set(here, "On", ["openid", "profile", "Settings:Update"]);
    const device = "urn:ietf:params:oauth:grant-type:device_code";
    const url = here.site.publish({
      grant_types: ["authorization_code", "refresh_token", "client_credentials", device],
      scope: "openid email Settings:Update AccessManager:Read",
    });
    const comer = new Comer(here, url);
    await comer.open();
    const credentials = await ok(here.admin.get(`/Application/${await applicationOf(url)}/Credentials`));
    expect(credentials.GrantTypes).toEqual(["authorization_code", "refresh_token"]);
    expect(credentials.Scopes).toEqual(["openid"]);
    expect((await comer.open({ scope: "Settings:Update" })).html).toContain("(invalid_scope)");
    const own = await comer.token({ grant_type: "client_credentials", client_id: url });
    expect([own.status, own.body.error]).toEqual([400, "unauthorized_client"]);
    const body = form({ client_id: url, scope: "openid" });
    const asked = await requestAt(here.url, "POST", "/oauth2/device_authorization", { body });
    expect([asked.status, asked.body.error]).toEqual([400, "unauthorized_client"]);
  });

  test("requires PKCE and one of its own redirect URIs, exactly as written", async () => {
    const comer = new Comer(here, here.site.publish({ redirect_uris: [REDIRECT, "https://app.example/second"] }));
    const bare = await comer.open({ code_challenge: undefined, code_challenge_method: undefined });
    expect([bare.status, bare.location]).toEqual([400, undefined]);
    expect(bare.html).toMatch(/PKCE.*\(invalid_request\)/);
    for (const redirect_uri of [`${REDIRECT}/`, `${REDIRECT}?a=b`, "https://evil.example/", undefined]) {
      const view = await comer.open({ redirect_uri });
      expect(view.location).toBeUndefined();
      expect(view.status).toBeGreaterThanOrEqual(400);
    }
  });

  test("authenticates with a key of its document, if it says so", async () => {
    const signer = await newSigner();
    const method = { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [signer.jwk] } };
    const comer = new Comer(here, here.site.publish(method));
    const claims = () => assertionClaims(comer.clientId, here.url);
    const proof = async () => ({ client_id: comer.clientId, ...assertion(await signer.sign(claims())) });
    const request = { response_type: "code", redirect_uri: REDIRECT, scope: "openid", ...comer.pkce.challenge };
    const push = async (fields: Record<string, string>) =>
      requestAt(here.url, "POST", "/oauth2/par", { body: form({ ...request, ...fields }) });
    const stranger = await newSigner();
    const foreign = assertion(await stranger.sign(claims()));
    expect((await push({ client_id: comer.clientId, ...foreign })).body.error).toBe("invalid_client");
    const pushed = await push(await proof());
    expect(pushed.status).toBe(201);
    const code = await comer.code({ request_uri: pushed.body.request_uri });
    expect((await comer.redeem(code)).body.error).toBe("invalid_client");
    const again = await comer.code({ scope: "openid" });
    expect((await comer.redeem(again, await proof())).status).toBe(200);
    const bare = await comer.open({ code_challenge: undefined, code_challenge_method: undefined });
    expect(bare.html).toMatch(/PKCE/);
    expect(timesAsked(comer.clientId)).toBe(1);
  });
});

describe("its document", () => {
  test.each<[string, string | undefined, number]>([
    ["nothing", undefined, HOUR],
    ["half an hour", "public, max-age=1800", 1_800],
    ["a second", "max-age=1", 300],
    ["a year", "max-age=31536000", 24 * HOUR],
    ["not to be kept", "no-store, max-age=7200", 300],
  ])("is cached as it says, within bounds: %s", async (_, cacheControl, seconds) => {
    const headers: Record<string, string> = cacheControl === undefined ? {} : { "cache-control": cacheControl };
    const url = here.site.publish({}, (body) => Response.json(body, { headers }));
    await new Comer(here, url).open();
    const [row] = await registered(url);
    expect(Math.round((+row!.document_fresh_until - +row!.document_read_on) / 1_000)).toBe(seconds);
  });

  test("is fetched again when stale: redirect URIs change with it, scopes do not", async () => {
    const url = here.site.publish();
    const comer = new Comer(here, url);
    await comer.open();
    const id = await applicationOf(url);
    await ok(here.admin.patch(`/Application/${id}/Credentials`, { Scopes: ["openid"] }));
    const moved = "https://app.example/moved";
    const changed = { ...documentOf(url), redirect_uris: [moved], client_name: "Renamed", scope: "openid profile" };
    here.site.pages.set(pathOf(url), () => Response.json(changed));
    expect((await comer.open({ scope: "openid" })).heading).toBe("Sign in");
    await age(url, HOUR + 1);
    expect((await comer.open({ scope: "openid" })).status).toBe(404);
    expect((await comer.open({ redirect_uri: moved, scope: "openid" })).heading).toBe("Sign in");
    expect(timesAsked(url)).toBe(2);
    const credentials = await ok(here.admin.get(`/Application/${id}/Credentials`));
    expect(credentials).toMatchObject({ RedirectUris: [moved], Scopes: ["openid"] });
    expect(await ok(here.admin.get(`/Application/${id}`))).toMatchObject({ Name: "Renamed" });
    const rows = await ok(
      here.admin.get(`/AuditEvent?Kind=Credentials.Changed&SubjectType=Application&SubjectId=${id}`),
    );
    expect(rows.Items[0].Details).toMatchObject({ Changed: ["RedirectUris"] });
  });

  test("is valid for a day without a response, fetched at most every half minute", async () => {
    const url = here.site.publish();
    const comer = new Comer(here, url);
    await comer.open();
    here.site.pages.set(pathOf(url), () => new Response("", { status: 503 }));
    await age(url, HOUR + 1);
    for (let at = 0; at < 3; at++) expect((await comer.open()).heading).toBe("Sign in");
    expect(timesAsked(url)).toBe(2);
    await age(url, 24 * HOUR);
    for (let at = 0; at < 3; at++) expect((await comer.open()).status).toBe(400);
    expect(timesAsked(url)).toBe(3);
    here.site.pages.set(pathOf(url), () => Response.json(documentOf(url)));
    await age(url, 31);
    expect((await comer.open()).heading).toBe("Sign in");
  });

  test("that no longer belongs to the client ends it at once", async () => {
    const url = here.site.publish();
    const comer = new Comer(here, url);
    await comer.open();
    here.site.pages.delete(pathOf(url));
    await age(url, HOUR + 1);
    for (let at = 0; at < 2; at++) expect((await comer.open()).status).toBe(400);
    expect(timesAsked(url)).toBe(2);
  });

  test("is fetched once for concurrent requests", async () => {
    const url = here.site.publish();
    const views = await Promise.all(Array.from({ length: 8 }, () => new Comer(here, url).open()));
    expect(views.map(({ heading }) => heading)).toEqual(Array(8).fill("Sign in"));
    expect(timesAsked(url)).toBe(1);
    expect(await registered(url)).toHaveLength(1);
  });

  test("does not reactivate a client that an administrator deactivated; a deleted one is created again", async () => {
    const url = here.site.publish();
    const comer = new Comer(here, url);
    const { refresh_token } = (await comer.redeem(await comer.code())).body;
    const id = await applicationOf(url);
    await ok(here.admin.patch("/Application", { Id: id, Is_Active: false }));
    await age(url, HOUR + 1);
    expect((await comer.open()).status).toBe(404);
    await ok(here.admin.remove(`/Application/${id}`));
    const late = await comer.token({ grant_type: "refresh_token", client_id: url, refresh_token });
    expect([late.status, late.body.error]).toEqual([401, "invalid_client"]);
    expect((await comer.consent()).heading).toBe("Allow access");
    expect(await applicationOf(url)).not.toBe(id);
  });
});

describe("unknown addresses", () => {
  test("are fetched up to a limit per hour and requesting address, with or without a document", async () => {
    const urls = Array.from({ length: 21 }, (_, at) => `https://${here.site.host}/none/${at}`);
    for (const url of urls.slice(0, 20)) expect((await new Comer(here, url).open()).status).toBe(400);
    expect((await new Comer(here, urls[20]!).open()).status).toBe(429);
    expect(here.site.asked).toHaveLength(20);
  });

  test("are not private ones, and all fail with the same message", async () => {
    await using inside = newSite();
    const url = inside.publish();
    const blocked = await new Comer(here, url).open();
    const broken = here.site.publish({}, () => new Response("", { status: 500 }));
    const unknown = "https://no-such-host.invalid/a.json";
    const others = await Promise.all([broken, unknown].map((one) => new Comer(here, one).open()));
    const words = [blocked, ...others].map(({ html }) => /The document of[^<]*?(cannot be read[^<]*)</.exec(html)?.[1]);
    expect(words).toEqual(
      Array(3).fill("cannot be read, or its client_id is not this address. Try again in a minute."),
    );
    expect(inside.asked).toEqual([]);
  });

  test("belong to no tenant once there are two; an existing application stays in its tenant", async () => {
    await using there = await newInstallation();
    await set(there, "On");
    const first = new Comer(there, there.site.publish());
    await first.open();
    const discovered = async () => {
      const { body } = await requestAt(there.url, "GET", "/.well-known/oauth-authorization-server");
      return body.client_id_metadata_document_supported;
    };
    const second = await signIn(there.url, await createTenant(there.database.sql, "second"));
    await ok(second.patch("/TenantSettings", { ClientIdMetadataDocuments: "On" }));
    const url = there.site.publish();
    expect((await new Comer(there, url).open()).status).toBe(404);
    expect(there.site.asked).toEqual([pathOf(first.clientId)]);
    expect(await discovered()).toBeUndefined();
    expect((await first.consent()).heading).toBe("Allow access");
    const [row] = await registered(first.clientId, there);
    expect((await second.get(`/Application/${row!.application_id}`)).status).toBe(404);
  });

  test("are advertised by discovery where they work", async () => {
    const { body } = await requestAt(here.url, "GET", "/.well-known/oauth-authorization-server");
    expect(body.client_id_metadata_document_supported).toBe(true);
  });
});
