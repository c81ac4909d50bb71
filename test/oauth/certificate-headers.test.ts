// The forms in which proxies forward a client's certificate.

import { afterAll, describe, expect, test } from "bun:test";
import { asEscaped, asField, newAuthority, newCertified } from "../support/client-certificates.ts";
import { startSecondApi } from "../support/second-api.ts";
import { type Answer, requestAt } from "../world/api.ts";
import { expectRfcError, form } from "../world/grants.ts";
import { newTenant, shared } from "../world/tenant.ts";

const SCOPE = "AccessManager:Read";
const GRANT = { grant_type: "client_credentials", scope: SCOPE };

const subject = "CN=payroll,O=Example,C=DE";

const authority = await newAuthority();
const own = await authority.issue("/C=DE/O=Example/CN=payroll");
const api = await startSecondApi({ TRUST_PROXY: "true", MTLS_URL: "https://mtls.example" });
const admin = await newTenant({ url: api.url, databaseUrl: shared().databaseUrl });
afterAll(() => api[Symbol.asyncDispose]());

/** As from the proxy at MTLS_URL. */
function passed(headers: [string, string][], fields: Record<string, string>): Promise<Answer> {
  const all = { host: "mtls.example", "x-forwarded-for": "127.0.0.1", ...Object.fromEntries(headers) };
  return requestAt(api.url, "POST", "/oauth2/token", { body: form(fields), headers: all });
}

const refused = (answer: Answer, says: RegExp) => expectRfcError(answer, 401, "invalid_client", says);

describe("a client's certificate", () => {
  test("may be forwarded in the format of each proxy, alone, quoted and with its chain", async () => {
    const client_id = await newCertified(admin, "SubjectDn", subject);
    const [leaf, ca] = [own.cert, authority.ca];
    const bare = (cert: string) => asField(cert).slice(1, -1);
    const envoy = (more = "") => `Hash=${"ab".repeat(32)};Cert="${asEscaped(leaf)}"${more}`;
    const formats: Record<string, string> = {
      "RFC 9440": asField(leaf),
      nginx: asEscaped(leaf),
      "nginx with a chain": asEscaped(leaf + ca),
      "AWS ALB": asEscaped(leaf + ca)
        .replaceAll("%2B", "+")
        .replaceAll("%3D", "=")
        .replaceAll("%2F", "/"),
      "as in a form": new URLSearchParams({ x: leaf }).toString().slice(2),
      Apache: leaf.trim().replaceAll("\n", " "),
      "Apache with a chain": (leaf + ca).trim().replaceAll("\n", " "),
      "nginx before 1.13": leaf.trim().replaceAll("\n", "\t"),
      HAProxy: bare(leaf),
      "without padding": bare(leaf).replace(/=+$/, ""),
      Traefik: `${bare(leaf)},${bare(ca)}`,
      "Traefik, encoded": encodeURIComponent(`${bare(leaf)},${bare(ca)}`),
      Envoy: envoy(),
      "Envoy with a chain": envoy(
        `;Chain="${asEscaped(leaf + ca)}";Subject="CN=a\\",b;c";URI=spiffe://x;DNS=a.example`,
      ),
    };
    for (const [name, value] of Object.entries(formats)) {
      const quoted = name.startsWith("Envoy") ? [] : [`"${value}"`];
      for (const sent of [value, ` ${value} `, ...quoted]) {
        const answer = await passed(
          [
            ["client-cert", sent],
            ["client-cert-chain", asField(ca)],
          ],
          { ...GRANT, client_id },
        );
        expect([name, answer.status, answer.body.error_description]).toEqual([name, 200, undefined]);
      }
    }
  });

  test.each<[string, (der: string) => string]>([
    ["a parameter", (der) => `:${der}:;a=1`],
    ["text after it", (der) => `:${der}:x`],
    ["text before it", (der) => `x:${der}:`],
    [
      "bytes after it",
      (der) => `:${Buffer.concat([Buffer.from(der, "base64"), Buffer.from("more")]).toString("base64")}:`,
    ],
    ["another beside it", (der) => `:${der}:, :${der}:`],
    ["base64 twice, as of two headers", (der) => `${der}, ${der}`],
    ["a half of quotes", (der) => `"${der}`],
    [
      "text after PEM",
      (der) => encodeURIComponent(`-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\nx`),
    ],
    [
      "a second element of Envoy, which a URI may imitate",
      (der) => `Cert="${der}";URI=https://m.example/,Cert="${der}"`,
    ],
    ["a Cert of Envoy without quotes", (der) => `Hash=1;URI=https://m.example/;Cert=${der}`],
    ["no Cert of Envoy", () => 'Hash=ab;Subject="CN=payroll"'],
    [
      "no Cert in the last element",
      (der) =>
        `Cert="-----BEGIN%20CERTIFICATE-----%0A${encodeURIComponent(der)}%0A-----END%20CERTIFICATE-----",Hash=ab`,
    ],
    ["two of Envoy in an element", (der) => `Cert=${der};Cert=${der}`],
    ["an open quote", (der) => `Cert="${der}`],
    ["characters that are not base64", (der) => `:${der.slice(0, 40)}*${der.slice(41)}:`],
    ["12,001 characters", (der) => `${der},${"MI".repeat(6_000)}`.slice(0, 12_001)],
  ])("with %s is unreadable", async (_, make) => {
    const client_id = await newCertified(admin, "SubjectDn", subject);
    const sent = make(asField(own.cert).slice(1, -1));
    refused(await passed([["client-cert", sent]], { ...GRANT, client_id }), /certificate is unreadable/);
    refused(await passed([["client-cert", sent]], { ...GRANT, client_id: "999999999" }), /certificate is unreadable/);
  });

  test("of a different client gets the error of an unknown client, and not that none was sent", async () => {
    const other = await newCertified(admin, "SubjectDn", "CN=other");
    for (const client_id of [other, "999999999"]) {
      refused(
        await passed([["client-cert", asField(own.cert)]], { ...GRANT, client_id }),
        /certificate that was sent is not this client's/,
      );
      refused(await passed([], { ...GRANT, client_id }), /neither a secret nor a certificate/);
    }
  });

  test("equals a subject in full-width letters, as RFC 4518 has it", async () => {
    const client_id = await newCertified(admin, "SubjectDn", subject.replace("payroll", "ｐａｙｒｏｌｌ"));
    expect((await passed([["client-cert", asField(own.cert)]], { ...GRANT, client_id })).status).toBe(200);
  });
});
