// A passkey whose attestation has a chain of the sender's own certificates: they name an address that must not be requested.

import { expect, test } from "bun:test";
import { createHash, sign } from "node:crypto";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { decodeAttestationObject, isoCBOR } from "@simplewebauthn/server/helpers";
import { signedIn } from "../world/person.ts";
import { answerWith, newPasskeyPage, SecurityKey } from "../world/security-key.ts";

const CURVE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** Android's description of a key. */
const KEY_DESCRIPTION = "1.3.6.1.4.1.11129.2.1.17";

/** Android's form of attestation, in which the library takes the last certificate as the root of the others. */
async function attested(key: SecurityKey, credential: string, revocations: string): Promise<string> {
  const sent = JSON.parse(credential);
  const bytes = (text: string) => Buffer.from(text, "base64url");
  const authData = decodeAttestationObject(bytes(sent.response.attestationObject)).get("authData");
  const hash = createHash("sha256").update(bytes(sent.response.clientDataJSON)).digest();
  const x5c = (await chainOf(key, hash, revocations)).map((one) => new Uint8Array(one.rawData));
  const sig = sign("sha256", Buffer.concat([authData, hash]), key.key.privateKey);
  const statement = new Map<string, number | Uint8Array | Uint8Array[]>([
    ["alg", -7],
    ["sig", new Uint8Array(sig)],
    ["x5c", x5c],
  ]);
  const object = new Map<string, string | Uint8Array | typeof statement>([
    ["fmt", "android-key"],
    ["attStmt", statement],
    ["authData", authData],
  ]);
  sent.response.attestationObject = Buffer.from(isoCBOR.encode(object as never)).toString("base64url");
  return JSON.stringify(sent);
}

async function chainOf({ key }: SecurityKey, challenge: Buffer, revocations: string) {
  const root = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]);
  const jwk = key.publicKey.export({ format: "jwk" }) as JsonWebKey;
  const publicKey = await crypto.subtle.importKey("jwk", jwk, CURVE, true, ["verify"]);
  const [notBefore, notAfter] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
  const lasts = { notBefore, notAfter, signingAlgorithm: CURVE };
  const described = Buffer.concat([
    Buffer.from("30340201030a01000201040a01000420", "hex"),
    challenge,
    Buffer.from("040030003000", "hex"),
  ]);
  const extensions = [
    new x509.CRLDistributionPointsExtension([revocations]),
    new x509.Extension(KEY_DESCRIPTION, false, described),
  ];
  return Promise.all([
    x509.X509CertificateGenerator.create({
      ...{ ...lasts, subject: "CN=key", issuer: "CN=own root", serialNumber: "02" },
      ...{ publicKey, signingKey: root.privateKey, extensions },
    }),
    x509.X509CertificateGenerator.createSelfSigned({ ...lasts, name: "CN=own root", serialNumber: "01", keys: root }),
  ]);
}

test("an attestation is not verified, so nothing in it is requested", async () => {
  const requests: string[] = [];
  await using server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: ({ url }) => {
      requests.push(url);
      return new Response("no list", { status: 404 });
    },
  });
  const person = await signedIn();
  const key = new SecurityKey();
  const page = await newPasskeyPage(person);
  const credential = await attested(key, key.create(page), `${server.url}revoked.crl`);
  expect((await answerWith(person, page, credential)).heading).toBe("Your account");
  expect(requests).toEqual([]);
});
