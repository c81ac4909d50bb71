// The names by which certificates identify clients are compared exactly (RFC 8705 2.1.2, RFC 9525). Covers names near the
// right one, in certificates and in the settings of clients.

import { afterAll, describe, expect, test } from "bun:test";
import "reflect-metadata";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { asField, newCertified } from "../support/client-certificates.ts";
import { startSecondApi } from "../support/second-api.ts";
import { ok, requestAt, unique } from "../world/api.ts";
import { expectRfcError, form } from "../world/grants.ts";
import { newTenant, shared } from "../world/tenant.ts";

const MTLS_URL = "https://mtls.gatehouse.example";
const SCOPE = "AccessManager:Read";
const GRANT = { grant_type: "client_credentials", scope: SCOPE };

const api = await startSecondApi({ TRUST_PROXY: "true", MTLS_URL });
const admin = await newTenant({ url: api.url, databaseUrl: shared().databaseUrl });
afterAll(() => api[Symbol.asyncDispose]());

/** The answer to a client with this name in its certificate, which the proxy has forwarded. */
async function shown(client_id: string, name: string, value: string) {
  const headers = {
    host: new URL(MTLS_URL).host,
    "x-forwarded-for": "127.0.0.1",
    "client-cert": asField(await certificateOf(name, value)),
  };
  return requestAt(api.url, "POST", "/oauth2/token", { headers, body: form({ ...GRANT, client_id }) });
}

describe("a client with tls_client_auth", () => {
  test.each(
    Object.entries(NEAR).flatMap(([name, { right, wrong }]) => wrong.map((other) => [name, right, other] as const)),
  )("is recognised by its %s %j, and not by %j in a certificate", async (name, right, other) => {
    const client_id = await newCertified(admin, name, right);
    expect((await shown(client_id, name, right)).status).toBe(200);
    expectRfcError(await shown(client_id, name, other), 401, "invalid_client");
  });

  test.each(Object.entries(NO_NAMES).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    "is not saved or registered with the %s %j",
    async (name, value) => {
      const { Id } = await ok(admin.patch("/Application", { Name: unique("payroll") }));
      const named = { TokenEndpointAuthMethod: "tls_client_auth", TlsClientAuthName: name, TlsClientAuthValue: value };
      const answer = await admin.patch(`/Application/${Id}/Credentials`, named);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        400,
        expect.stringContaining("TlsClientAuthValue"),
      ]);
      await ok(admin.patch("/TenantSettings", { ClientRegistration: "Open", RegistrationScopes: ["openid"] }));
      const parameter = `tls_client_auth_${name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}`;
      const metadata = {
        redirect_uris: ["https://payroll.example.com/callback"],
        token_endpoint_auth_method: "tls_client_auth",
        [parameter]: value,
      };
      const registered = await requestAt(api.url, "POST", `/oauth2/register/${admin.tenantId}`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata),
      });
      expectRfcError(registered, 400, "invalid_client_metadata", /^the name in its certificate must be/);
    },
  );

  test("is recognised by the A-label of the name that its administrator entered", async () => {
    const client_id = await newCertified(admin, "SanDns", "Löhne.example.com");
    for (const [value, status] of [
      ["XN--LHNE-5QA.example.com", 200],
      ["löhne.example.com", 401],
    ] as const) {
      expect((await shown(client_id, "SanDns", value)).status).toBe(status);
    }
  });
});

/** A name, and certificates' names near it. */
const NEAR: Record<string, { right: string; wrong: string[] }> = {
  SanDns: {
    right: "payroll.example.com",
    wrong: [
      ...[
        "/x.attacker.com",
        "?x.attacker.com",
        "#x.attacker.com",
        "\\x.attacker.com",
        ":443",
        "\0",
        "\0.attacker.com",
      ].map((end) => `payroll.example.com${end}`),
      ...[".", " ", "\n", "\t", "%2e", "@attacker.com", ".attacker.com", ";"].map((end) => `payroll.example.com${end}`),
      ...["pay%72oll.example.com", "pay\u00adroll.example.com", "payroll。example.com", "payroll．example.com"],
      ...["*.example.com", "*", "payrol*.example.com", ".example.com", "example.com", "user@payroll.example.com"],
      ...["//payroll.example.com", " payroll.example.com", "pay\nroll.example.com", "payro\u017f.example.com", ""],
    ],
  },
  SanUri: {
    right: "https://payroll.example.com/client",
    wrong: [
      ...["/", "/..", "?", "#", "#x", "%20", " ", "\0", "\n"].map((end) => `https://payroll.example.com/client${end}`),
      ...[
        "https://payroll.example.com/./client",
        "https://payroll.example.com:443/client",
        "//payroll.example.com/client",
      ],
      ...[
        "https://pay%72oll.example.com/client",
        "HTTPS://payroll.example.com/client",
        "https://payroll.example.com/%63lient",
      ],
    ],
  },
  SanIp: {
    right: "192.0.2.1",
    wrong: ["192.0.2.10", "::ffff:192.0.2.1", "::192.0.2.1", "64:ff9b::192.0.2.1"].map(inHextets),
  },
  SanEmail: {
    right: "pay@example.com",
    wrong: [
      ...[
        "PAY@example.com",
        "pay @example.com",
        "pay+x@example.com",
        "<pay@example.com>",
        "pay@example.com/x.attacker.com",
      ],
      ...[
        "pay@example.com.",
        "pay@%65xample.com",
        "pay@*.com",
        "pay@@example.com",
        "pay@example.com\0",
        "pay\0@example.com",
      ],
      ...["pay@example.com@attacker.com", '"pay"@example.com', "pay@example.com ", "example.com", "pay%40example.com"],
    ],
  },
};

const NO_NAMES: Record<string, string[]> = {
  SanDns: [
    ...NEAR.SanDns!.wrong.filter((value) => /[/?#\\:%@;*\u00ad。．]|\.$|^\./.test(value)),
    ...[
      "192.0.2.1",
      "0x7f.1",
      "1",
      "a..b",
      "-a.example.com",
      "a-.example.com",
      "a b.example.com",
      "pay_roll.example.com",
    ],
    ...["xn--a", `${"a".repeat(64)}.example.com`, `${"a.".repeat(130)}example.com`, "payroll.example.com."],
  ],
  SanUri: ["payroll", "//payroll.example.com", "https://payroll.example.com/é", "https://payroll.example.com/a b"],
  SanIp: ["payroll", "192.0.2", "192.0.2.1/32", "010.0.0.1", "0x7f.0.0.1", "::1%1", "[::1]", "2001:db8::1::"],
  SanEmail: [
    "pay",
    "pay@",
    "@example.com",
    "pay@*.example.com",
    "pay@192.0.2.1",
    "pay@example.com/x",
    "päy@example.com",
  ],
  SubjectDn: ["payroll", "CN=", "CN=a,,CN=b"],
};

/** The certificates' library reads no IPv4 address within an IPv6 one. */
function inHextets(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (whole, ...parts) => {
    if (whole === address) return whole;
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

const TYPES: Record<string, "dns" | "url" | "ip" | "email"> = {
  SanDns: "dns",
  SanUri: "url",
  SanIp: "ip",
  SanEmail: "email",
};

/** In PEM, with any octets as its name; openssl writes only some. */
async function certificateOf(name: string, value: string): Promise<string> {
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const named = new SubjectAlternativeNameExtension([{ type: TYPES[name]!, value }]);
  const made = await X509CertificateGenerator.createSelfSigned({
    name: "CN=payroll",
    keys,
    signingAlgorithm,
    notBefore: new Date(Date.now() - 60_000),
    extensions: [named],
  });
  return made.toString("pem");
}
