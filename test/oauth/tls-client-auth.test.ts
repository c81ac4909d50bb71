// Clients that authenticate by a certificate, at an address where a proxy requests one (RFC 8705 2.1).

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generate } from "selfsigned";
import { CERTIFICATE_LIMIT } from "../../server/identity/oauth/certificate.ts";
import { createMtls } from "../../server/identity/oauth/mtls.ts";
import {
  type Authority,
  asEscaped,
  asField,
  type KeyPair,
  newAuthority,
  startProxy,
  type TlsProxy,
} from "../support/client-certificates.ts";
import { startSecondApi } from "../support/second-api.ts";
import { type Answer, type Api, ok, requestAt, unique, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { expectRfcError, form } from "../world/grants.ts";
import { DpopKey } from "../world/signer.ts";
import { newTenant, shared } from "../world/tenant.ts";

const SUBJECT = "/C=DE/O=Payroll, Inc./OU=Wages+UID=pay-7/CN=payroll é";
const NAMES =
  "DNS:payroll.example.com,URI:https://payroll.example.com/client,IP:192.0.2.1,IP:2001:db8::1,email:pay@example.com";
const SCOPE = "AccessManager:Read";
const GRANT = { grant_type: "client_credentials", scope: SCOPE };
const REDIRECT = "https://payroll.example.com/callback";

let authority: Authority;
let proxy: TlsProxy;
let api: Awaited<ReturnType<typeof startSecondApi>>;
let admin: Api;
let own: KeyPair;
let subject: string;

beforeAll(async () => {
  authority = await newAuthority();
  proxy = await startProxy(authority);
  api = await startSecondApi({ TRUST_PROXY: "true", MTLS_URL: proxy.url });
  proxy.target = api.url;
  admin = await newTenant({ url: api.url, databaseUrl: shared().databaseUrl });
  own = await authority.issue(SUBJECT, NAMES);
  subject = await subjectOf(own);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

/** By the command in the documentation. */
async function subjectOf({ cert }: KeyPair): Promise<string> {
  const openssl = Bun.spawn(["openssl", "x509", "-noout", "-subject", "-nameopt", "RFC2253"], {
    stdin: Buffer.from(cert),
  });
  return (await new Response(openssl.stdout).text()).trim().replace(/^subject=/, "");
}

/** A client identified by a name in its certificate. */
async function newClient(name: string, value: string, more: object = {}): Promise<string> {
  const { Id } = await ok(admin.patch("/Application", { Name: unique("payroll"), Is_Active: true }));
  const named = { TokenEndpointAuthMethod: "tls_client_auth", TlsClientAuthName: name, TlsClientAuthValue: value };
  await ok(admin.patch(`/Application/${Id}/Credentials`, { Scopes: [SCOPE], ...named, ...more }));
  return Id;
}

async function answerOf(sent: Promise<Response>): Promise<Answer> {
  const answer = await sent;
  const text = await answer.text();
  return {
    path: new URL(answer.url).pathname,
    status: answer.status,
    headers: answer.headers,
    body: text ? JSON.parse(text) : {},
  };
}

/** Through the proxy, with this client certificate. */
function through(shown: KeyPair | undefined, path: string, fields: Record<string, string>, headers = {}) {
  const tls = { ca: authority.ca, ...shown };
  return answerOf(fetch(proxy.url + path, { method: "POST", body: form(fields), headers, tls, keepalive: false }));
}

/** Headers as from a proxy or an impostor. */
function passed(headers: [string, string][], fields: Record<string, string>, host = new URL(proxy.url).host) {
  const all = new Headers([
    ["host", host],
    ["x-forwarded-for", "127.0.0.1"],
  ]);
  for (const [name, value] of headers) all.append(name, value);
  return answerOf(fetch(`${api.url}/oauth2/token`, { method: "POST", body: form(fields), headers: all }));
}

const refused = (answer: Answer, says: RegExp = /neither a secret nor a certificate|not this client's/) =>
  expectRfcError(answer, 401, "invalid_client", says);

describe("a client with tls_client_auth", () => {
  test("is authenticated at each endpoint with client authentication", async () => {
    const client_id = await newClient("SubjectDn", subject, { RedirectUris: [REDIRECT], GrantTypes: GRANTS });
    const granted = await through(own, "/oauth2/token", { ...GRANT, client_id });
    expect(granted.status).toBe(200);
    const token = granted.body.access_token as string;
    expect((await through(own, "/oauth2/introspect", { client_id, token })).body).toMatchObject({ active: true });
    const request = { client_id, response_type: "code", redirect_uri: REDIRECT, scope: SCOPE };
    expect((await through(own, "/oauth2/par", request)).status).toBe(201);
    expect((await through(own, "/oauth2/device_authorization", { client_id, scope: SCOPE })).status).toBe(200);
    expect((await through(own, "/oAuth/rest/v2/Token", { ...GRANT, client_id })).status).toBe(200);
    expect((await through(own, "/oauth2/revoke", { client_id, token })).status).toBe(200);
    expect((await through(own, "/oauth2/introspect", { client_id, token })).body).toEqual({ active: false });
    for (const path of [
      "/oauth2/token",
      "/oauth2/introspect",
      "/oauth2/par",
      "/oauth2/device_authorization",
      "/oauth2/revoke",
    ]) {
      refused(await through(undefined, path, { ...GRANT, ...request, token }));
    }
  });

  test.each([
    ["SubjectDn", "CN=payroll é, uid=PAY-7+OU=wages,  O=payroll\\, inc., 2.5.4.6=de"],
    ["SanDns", "Payroll.Example.com"],
    ["SanUri", "https://payroll.example.com/client"],
    ["SanIp", "192.0.2.1"],
    ["SanIp", "2001:0db8:0:0::1"],
    ["SanEmail", "pay@EXAMPLE.com"],
  ])("is recognised by its %s %s", async (name, value) => {
    const client_id = await newClient(name, value);
    expect((await through(own, "/oauth2/token", { ...GRANT, client_id })).status).toBe(200);
  });

  test.each([
    ["SubjectDn", "C=DE,O=Payroll\\, Inc.,OU=Wages+UID=pay-7,CN=payroll é"],
    ["SubjectDn", "CN=payroll é,OU=Wages,O=Payroll\\, Inc.,C=DE"],
    ["SubjectDn", "CN=payroll é"],
    ["SanDns", "example.com"],
    ["SanUri", "https://payroll.example.com/clients"],
    ["SanUri", "https://PAYROLL.example.com/client"],
    ["SanIp", "192.0.2.2"],
    ["SanEmail", "PAY@example.com"],
  ])("is not recognised by the %s %s, which the certificate does not have", async (name, value) => {
    refused(await through(own, "/oauth2/token", { ...GRANT, client_id: await newClient(name, value) }));
  });

  test("is rejected without a certificate, with one of another authority, and with an expired one", async () => {
    const client_id = await newClient("SubjectDn", subject);
    refused(await through(undefined, "/oauth2/token", { ...GRANT, client_id }));
    const stranger = await (await newAuthority()).issue(SUBJECT, NAMES);
    refused(await through(stranger, "/oauth2/token", { ...GRANT, client_id }));
    const notAfterDate = new Date(Date.now() - 60_000);
    const names = [{ name: "subjectAltName", altNames: [{ type: 2, value: "payroll.example.com" }] }] as never;
    const over = await generate([], { notAfterDate, notBeforeDate: new Date(0), extensions: names });
    const client = await newClient("SanDns", "payroll.example.com");
    refused(await passed([["client-cert", asField(over.cert)]], { ...GRANT, client_id: client }));
    expect((await passed([["client-cert", asField(own.cert)]], { ...GRANT, client_id: client })).status).toBe(200);
    expect((await passed([["client-cert", asField(own.cert)]], { ...GRANT, client_id })).status).toBe(200);
    expect((await passed([["client-cert", asEscaped(own.cert)]], { ...GRANT, client_id })).status).toBe(200);
  });

  test("is not recognised at another address, where callers can send the header", async () => {
    const client_id = await newClient("SubjectDn", subject);
    const shown: [string, string][] = [["client-cert", asField(own.cert)]];
    refused(await passed(shown, { ...GRANT, client_id }, new URL(api.url).host));
    refused(await passed(shown, { ...GRANT, client_id }, "localhost"));
    // The proxy removes its caller's header.
    refused(await through(undefined, "/oauth2/token", { ...GRANT, client_id }, { "Client-Cert": asField(own.cert) }));
    refused(await passed([["x-client-cert", asField(own.cert)]], { ...GRANT, client_id }));
  });

  test.each([
    ["https://mtls.example", "mtls.example", true],
    ["https://mtls.example", "MTLS.example", true],
    ["https://mtls.example", "mtls.example:443", true],
    ["https://mtls.example", "mtls.example:80", false],
    ["https://mtls.example", "mtls.example.", false],
    ["https://mtls.example", "mtls.example, other.example", false],
    ["https://mtls.example", "other.example@mtls.example", false],
    ["https://mtls.example:8443", "mtls.example:8443", true],
    ["https://mtls.example:8443", "mtls.example", false],
    ["https://mtls.example:8443", "mtls.example:443", false],
  ])("at %s with Host %s exists: %p", (url, host, isThere) => {
    const { baseOf } = createMtls("https://id.example", { url, header: "client-cert" });
    const request = new Request("http://127.0.0.1/oauth2/token", { headers: { host } });
    expect(baseOf(request)).toBe(isThere ? url : "https://id.example");
  });

  test("exists nowhere without MTLS_URL, also with an empty Host", () => {
    const { baseOf, url } = createMtls("https://id.example", undefined);
    expect([url, baseOf(new Request("http://127.0.0.1/", { headers: { host: "" } }))]).toEqual([
      undefined,
      "https://id.example",
    ]);
  });

  test("gets an error if the proxy's header is not a certificate", async () => {
    const client_id = await newClient("SubjectDn", subject);
    const field = asField(own.cert);
    const headers: [string, string][][] = [
      [
        ["client-cert", field],
        ["client-cert", field],
      ],
      [["client-cert", `${field.slice(0, 200)}:`]],
      [["client-cert", ":aGVsbG8=:"]],
      [["client-cert", "(null)"]],
      [["client-cert", "-----BEGIN%20CERTIFICATE-----%0A%E0%A4%A"]],
      [["client-cert", asEscaped(own.cert.replace("CERTIFICATE", "PUBLIC KEY"))]],
      [["client-cert", `:${"A".repeat(CERTIFICATE_LIMIT)}:`]],
    ];
    for (const header of headers) refused(await passed(header, { ...GRANT, client_id }), /certificate is unreadable/);
    // Clients with a different authentication method need no certificate.
    const { clientId, clientSecret } = admin;
    const secret = { ...GRANT, client_id: clientId, client_secret: clientSecret, scope: "openid" };
    expect((await passed([["client-cert", "(null)"]], secret)).status).toBe(200);
  });

  test("cannot authenticate with a secret, nor another client with its certificate", async () => {
    const client_id = await newClient("SubjectDn", subject);
    const { Secret } = await ok(admin.call("POST", `/Application/${client_id}/Secrets`, {}));
    refused(
      await through(own, "/oauth2/token", { ...GRANT, client_id, client_secret: Secret }),
      /client_secret is wrong/,
    );
    refused(await through(own, "/oauth2/token", { ...GRANT, client_id: admin.clientId }));
    refused(await through(own, "/oauth2/token", { ...GRANT, client_id: "1" }));
    expectRfcError(await through(own, "/oauth2/token", GRANT), 401, "invalid_client", /client_id is missing/);
    const other = await newClient("SubjectDn", "CN=other");
    refused(await through(own, "/oauth2/token", { ...GRANT, client_id: other }));
    await ok(admin.patch("/Application", { Id: client_id, Is_Active: false }));
    refused(await through(own, "/oauth2/token", { ...GRANT, client_id }));
  });

  test("binds its tokens to a key at the requested address", async () => {
    const client_id = await newClient("SubjectDn", subject, { DpopBound: true });
    const key = await DpopKey.make();
    const ask = async (base: string) => {
      const dpop = await key.proof({ path: "/oauth2/token", claims: { htu: `${base}/oauth2/token` } });
      return through(own, "/oauth2/token", { ...GRANT, client_id }, { dpop });
    };
    key.nonce = (await ask(proxy.url)).headers.get("dpop-nonce") ?? undefined;
    expectRfcError(await ask(issuer()), 400, "invalid_dpop_proof", /htu is not/);
    expect((await ask(proxy.url)).body).toMatchObject({ token_type: "DPoP" });
  });

  test("finds the address in discovery, and the audit log names rejected clients", async () => {
    const found = await requestAt(api.url, "GET", "/.well-known/openid-configuration");
    expect(found.body.token_endpoint).toBe(`${issuer()}/oauth2/token`);
    expect(found.body.token_endpoint_auth_methods_supported).toContain("tls_client_auth");
    expect(found.body.mtls_endpoint_aliases).toEqual({
      token_endpoint: `${proxy.url}/oauth2/token`,
      revocation_endpoint: `${proxy.url}/oauth2/revoke`,
      introspection_endpoint: `${proxy.url}/oauth2/introspect`,
      pushed_authorization_request_endpoint: `${proxy.url}/oauth2/par`,
      device_authorization_endpoint: `${proxy.url}/oauth2/device_authorization`,
    });
    const without = (await requestAt(shared().url, "GET", "/.well-known/openid-configuration")).body;
    expect(without).not.toHaveProperty("mtls_endpoint_aliases");
    expect(without.token_endpoint_auth_methods_supported).not.toContain("tls_client_auth");
    const client_id = await newClient("SanDns", "other.example.com");
    refused(await through(own, "/oauth2/token", { ...GRANT, client_id }));
    const rows = `/AuditEvent?Kind=ClientAuthentication.Failed&SubjectType=Application&SubjectId=${client_id}`;
    // The answer does not wait for the entry.
    const [row] = await until("the row", async () => {
      const { Items } = await ok(admin.get(rows));
      return Items.length > 0 && Items;
    });
    expect(row.Details).toMatchObject({ Reason: "WrongCertificate" });
    expect(JSON.stringify(api.log())).not.toContain(asField(own.cert).slice(1, 60));
  });

  test("registers itself and reads its registration", async () => {
    await ok(admin.patch("/TenantSettings", { ClientRegistration: "Open", RegistrationScopes: ["openid"] }));
    const headers = { "content-type": "application/json" };
    const register = (body: object) =>
      answerOf(
        fetch(`${api.url}/oauth2/register/${admin.tenantId}`, { method: "POST", headers, body: JSON.stringify(body) }),
      );
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: "tls_client_auth" };
    const made = await register({ ...metadata, tls_client_auth_san_dns: "payroll.example.com" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ ...metadata, tls_client_auth_san_dns: "payroll.example.com" });
    expect(made.body).not.toHaveProperty("client_secret");
    const pushed = {
      client_id: String(made.body.client_id),
      response_type: "code",
      redirect_uri: REDIRECT,
      scope: "openid",
    };
    expect((await through(own, "/oauth2/par", pushed)).status).toBe(201);
    for (const [wrong, says] of [
      [{}, /the name in its certificate is missing/],
      [{ tls_client_auth_san_dns: "a.example", tls_client_auth_san_ip: "192.0.2.1" }, /cannot be combined/],
      [{ tls_client_auth_san_ip: "a.example" }, /must be an IP address/],
      [{ tls_client_auth_subject_dn: 7 }, /must be a string/],
    ] as const) {
      expectRfcError(await register({ ...metadata, ...wrong }), 400, "invalid_client_metadata", says);
    }
  });

  test.each([
    ["SubjectDn", "", /TlsClientAuthValue is missing/],
    ["SubjectDn", "payroll", /must be a distinguished name/],
    ["SubjectDn", "CN=a,,CN=b", /must be a distinguished name/],
    ["SubjectDn", "NOSUCH=a", /must be a distinguished name/],
    ["SanUri", "payroll", /must be an absolute address/],
    ["SanIp", "300.0.0.1", /must be an IP address/],
    ["SanIp", "010.0.0.1", /must be an IP address/],
    ["SanIp", "fe80::1%eth0", /must be an IP address/],
    ["SanEmail", "payroll", /must be an e-mail address/],
    ["Subject", "CN=a", /must be one of SubjectDn/],
  ])("is not saved with the %s %j", async (name, value, says) => {
    const { Id } = await ok(admin.patch("/Application", { Name: unique("payroll") }));
    const named = { TokenEndpointAuthMethod: "tls_client_auth", TlsClientAuthName: name, TlsClientAuthValue: value };
    const answer = await admin.patch(`/Application/${Id}/Credentials`, named);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toMatch(says);
  });

  test("is not saved if no proxy requests certificates", async () => {
    const other = await newTenant();
    const { Id } = await ok(other.patch("/Application", { Name: unique("payroll") }));
    const named = { TokenEndpointAuthMethod: "tls_client_auth", TlsClientAuthValue: "CN=a" };
    const answer = await other.patch(`/Application/${Id}/Credentials`, named);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain("needs MTLS_URL");
  });
});

const GRANTS = ["client_credentials", "authorization_code", "urn:ietf:params:oauth:grant-type:device_code"];
