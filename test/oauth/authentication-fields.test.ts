// Authentication of clients: the fields of Credentials.

import { describe, expect, test } from "bun:test";
import { expectError } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";
import { newApplication } from "./application.ts";

const ED25519 = { kty: "OKP", crv: "Ed25519", kid: "1", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

const client = await newTenant();

async function expectRefused(changes: unknown, says: RegExp): Promise<void> {
  const app = await newApplication(client);
  const answer = await app.change(changes);
  expectError(answer, 400, "Bad Input", says);
}

describe("client authentication", () => {
  const P256 = {
    kty: "EC",
    crv: "P-256",
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  };

  test("keeps the public keys as sent, without private members", async () => {
    const app = await newApplication(client);
    const sent = { ...P256, kid: "a", use: "sig", alg: "ES256", x5t: "x", key_ops: ["verify"] };
    const answer = await app.change({
      TokenEndpointAuthMethod: "private_key_jwt",
      Jwks: { keys: [sent, ED25519], more: 1 },
    });
    expect(answer.status).toBe(200);
    const { x5t: _, key_ops: __, ...kept } = sent;
    expect((await app.read()).body.Jwks).toEqual({ keys: [kept, ED25519] });
  });

  test.each<[string, unknown, RegExp]>([
    ["no set", [], /^Jwks must be a JSON Web Key Set/],
    ["a set without keys", { keys: [] }, /^Jwks must have 1 to 20 keys/],
    ["too many", { keys: Array(21).fill(P256) }, /1 to 20 keys/],
    ["a private key", { keys: [{ ...ED25519, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" }] }, /is a private key/],
    ["a number in another base64", { keys: [{ ...ED25519, x: `${ED25519.x}=` }] }, /x that is not in base64url/],
    ["an exponent that is none", { keys: [{ kty: "RSA", n: "u".repeat(342), e: "AQ" }] }, /must be a public key/],
    ["a shared secret", { keys: [{ kty: "oct", k: "AAAA" }] }, /is a private key/],
    ["a key of another curve", { keys: [{ ...P256, crv: "P-384" }] }, /must be a public key/],
    ["a point that is not on its curve", { keys: [{ ...P256, y: P256.x }] }, /must be a public key/],
    ["a short RSA key", { keys: [{ kty: "RSA", n: "u".repeat(171), e: "AQAB" }] }, /must be a public key/],
    ["a key for encryption", { keys: [{ ...P256, use: "enc" }] }, /use sig/],
    ["a key for HMAC", { keys: [{ ...P256, alg: "HS256" }] }, /must have alg/],
    ["what is no key", { keys: [7] }, /must be an object/],
    ["a NUL", { keys: [{ ...P256, kid: "\0" }] }, /kid/],
    [
      "one kid twice",
      {
        keys: [
          { ...P256, kid: "a" },
          { ...ED25519, kid: "a" },
        ],
      },
      /two keys with the same kid/,
    ],
  ])("rejects a Jwks that has %s", async (_, Jwks, says) => {
    await expectRefused({ Jwks }, says);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ TokenEndpointAuthMethod: "private_key_jwt" }, /needs Jwks or JwksUri/],
    [{ TokenEndpointAuthMethod: "none" }, /a confidential client cannot have/],
    [{ TokenEndpointAuthMethod: "client_secret_post", ClientType: "public" }, /a public client cannot have/],
    [{ TokenEndpointAuthMethod: "private_key_jwt", ClientType: "native" }, /a native client cannot have/],
    [{ TokenEndpointAuthMethod: "client_secret_jwt" }, /must be client_secret_basic or/],
    [{ Jwks: { keys: [P256] }, JwksUri: "https://app.example.com/keys" }, /cannot be combined with Jwks/],
  ])("must be consistent: %j is rejected", async (changes, says) => {
    await expectRefused(changes, says);
  });

  test("cannot be changed by a client itself", async () => {
    const own = await newTenant();
    const change = (changes: unknown) => own.patch(`/Application/${own.clientId}/Credentials`, changes);
    const answer = await change({ TokenEndpointAuthMethod: "private_key_jwt", Jwks: { keys: [P256] } });
    expectError(answer, 409, "Conflict", /a different TokenEndpointAuthMethod/);
    expect((await change({ Jwks: { keys: [P256] } })).status).toBe(200);
  });
});
