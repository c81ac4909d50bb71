import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { isSignedWith } from "../../../examples/receiver/verify.ts";
import type { EventId } from "../../../server/platform/ids.ts";
import { generateSecret, signPayload, standardWebhooksHeaders } from "../../../server/webhooks/signature.ts";
import { idOf } from "../../world/api.ts";

const eventId = idOf<EventId>("0199b0f0-7c1e-7a30-8d1c-2f1f0c9f7a11");
const text = fc.string({ unit: "binary", minLength: 1 });
const payload = '{"EventType":"Updated","Data":{"Name":"Zoë 🚪"}}';

describe("X-Signature", () => {
  test("equals openssl's", async () => {
    for (const secret of ["s3cret", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "a b'\"$é"]) {
      const process = Bun.spawn(["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${hexOf(secret)}`], {
        stdin: new Blob([payload]),
      });
      const printed = (await new Response(process.stdout).text()).trim().split(" ").at(-1);
      expect(signPayload(payload, secret)).toBe(printed!);
    }
  });

  test("is 64 lowercase hex digits", () => {
    expect(signPayload("", "s")).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is verified by the receiver, and by none with another body or secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), text, text, fc.nat(), (body, secret, other, at) => {
        const signature = signPayload(body, secret);
        const bytes = Buffer.from(body);
        expect(isSignedWith(secret, bytes, signature)).toBe(true);
        // HMAC pads a short key with zeros, so secrets that differ only in trailing zeros are the same key.
        if (withoutZeros(other) !== withoutZeros(secret)) expect(isSignedWith(other, bytes, signature)).toBe(false);
        const changed = Buffer.from(bytes.length ? bytes : "x");
        changed[at % changed.length]! ^= 1;
        expect(isSignedWith(secret, changed, signature)).toBe(false);
        expect(isSignedWith(secret, bytes, signature.slice(1))).toBe(false);
        expect(isSignedWith(secret, bytes, `${signature}é`)).toBe(false);
      }),
    );
  });
});

describe("the headers of Standard Webhooks", () => {
  test("are verified by its library with a generated secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (body) => {
        const secret = generateSecret();
        const headers = standardWebhooksHeaders({ eventId, timestamp: new Date(), body, secrets: [secret] });
        expect(() => new Webhook(secret).verify(body, headers, { jsonParse: false })).not.toThrow();
        expect(() => new Webhook(secret).verify(`${body} `, headers, { jsonParse: false })).toThrow("No matching");
        expect(() => new Webhook(generateSecret()).verify(body, headers, { jsonParse: false })).toThrow("No matching");
      }),
    );
  });

  test("key on the UTF-8 bytes of a secret chosen by a person", () => {
    for (const secret of ["correct horse", "schlüssel", "whsec_", "whsec_not base64!", "whsec_abc"]) {
      const headers = standardWebhooksHeaders({ eventId, timestamp: new Date(), body: payload, secrets: [secret] });
      const library = new Webhook(new TextEncoder().encode(secret), { format: "raw" });
      expect(library.verify(payload, headers)).toEqual(JSON.parse(payload));
    }
  });

  test("carry a signature for each secret, and the library accepts any of them", () => {
    const secrets = [generateSecret(), generateSecret(), "of one's own"];
    const headers = standardWebhooksHeaders({ eventId, timestamp: new Date(), body: payload, secrets });
    expect(headers["webhook-signature"].split(" ")).toHaveLength(3);
    for (const secret of secrets.slice(0, 2)) expect(() => new Webhook(secret).verify(payload, headers)).not.toThrow();
    expect(() => new Webhook(generateSecret()).verify(payload, headers)).toThrow("No matching");
  });

  test("carry the event's id and the attempt's time in seconds", () => {
    const timestamp = new Date("2026-08-01T12:00:00.999Z");
    expect(standardWebhooksHeaders({ eventId, timestamp, body: payload, secrets: ["s"] })).toMatchObject({
      "webhook-id": eventId,
      "webhook-timestamp": "1785585600",
    });
  });
});

test("a generated secret is whsec_ and 32 random bytes", () => {
  const secrets = Array.from({ length: 100 }, generateSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toStartWith("whsec_");
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  }
});

function hexOf(secret: string): string {
  return Buffer.from(secret).toString("hex");
}

function withoutZeros(secret: string): string {
  return Buffer.from(secret)
    .toString("hex")
    .replace(/(00)+$/, "");
}
