// A client's public keys: those allowed in its record, and the usable ones of a published set.

import { createPublicKey } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { field, orNull } from "../../../platform/http/fields.ts";
import { CLIENT_JWT_ALGS } from "../contract.ts";

/** RFC 7517 4: the stored members of a public key. */
export interface PublicKey {
  kty: string;
  kid?: string;
  use?: string;
  alg?: string;
  crv?: string;
  x?: string;
  y?: string;
  n?: string;
  e?: string;
}

export interface Jwks {
  keys: PublicKey[];
}

const MAX_KEYS = 20;
/** The first ones of a published set; reading a key takes time. */
const MAX_PUBLISHED = 100;
const MEMBER_LIMIT = 2_000;
/** The minimum and maximum size of an RSA key in bits. */
const RSA_BITS = [2048, 8192] as const;
const MEMBERS = ["kty", "kid", "use", "alg", "crv", "x", "y", "n", "e"] as const;
const NUMBERS = ["x", "y", "n", "e"] as const;
/** RFC 7518 6: private JWK members. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

const member = (description?: string) => Type.Optional(Type.String(description ? { description } : {}));
const PUBLIC_KEY = Type.Object({
  kty: Type.String({ description: "RSA, EC (P-256) or OKP (Ed25519)." }),
  kid: member("Identifies the key in the set."),
  use: member("sig, or absent."),
  alg: member(`${CLIENT_JWT_ALGS.join(", ")}, or absent.`),
  crv: member(),
  x: member(),
  y: member(),
  n: member(),
  e: member(),
});
const JWKS = Type.Object({ keys: Type.Array(PUBLIC_KEY, { minItems: 1, maxItems: MAX_KEYS }) });

export const jwksField = field<Jwks | null, Jwks | null>({
  description:
    "Its public keys (RFC 7517 5), which verify its client assertions. Members that a public key does not " +
    "need are not stored. null: none.",
  sent: orNull(JWKS),
  checked: orNull(Type.Object({})),
  shown: orNull(JWKS),
  must: 'must be a JSON Web Key Set, {"keys": […]}, or null.',
  refuse: (value: object | null) => (value === null ? undefined : jwksProblem(value)),
  take: (value: Jwks | null) => value && { keys: value.keys.map(publicKey) },
  stored: "json",
  form: {
    label: "Public keys",
    hint: 'A JSON Web Key Set, {"keys": […]}, of RSA, P-256 or Ed25519 keys. Public keys only.',
    rows: 4,
    json: true,
  },
  example: null,
});

function jwksProblem(value: object): string | undefined {
  const { keys } = value as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) {
    return `Jwks must have 1 to ${MAX_KEYS} keys.`;
  }
  for (const [index, key] of keys.entries()) {
    const problem = keyProblem(key);
    if (problem) return `Jwks.keys[${index}] ${problem}`;
  }
  const kids = (keys as PublicKey[]).flatMap(({ kid }) => kid ?? []);
  return new Set(kids).size < kids.length ? "Jwks has two keys with the same kid." : undefined;
}

/** Why a key is rejected; the text follows the key's name. */
function keyProblem(key: unknown): string | undefined {
  if (typeof key !== "object" || key === null) return "must be an object.";
  const members = key as Record<string, unknown>;
  if (PRIVATE_MEMBERS.some((name) => name in members)) {
    return "is a private key, which must stay secret. Create a new key and send its public part.";
  }
  const isText = (value: unknown) =>
    typeof value === "string" && value.length <= MEMBER_LIMIT && value.isWellFormed() && !value.includes("\0");
  const wrong = MEMBERS.find((name) => members[name] !== undefined && !isText(members[name]));
  if (wrong) return `has a member ${wrong} that is not a string of at most ${MEMBER_LIMIT} characters.`;
  // RFC 7518 6. OpenSSL accepts more encodings than WebCrypto, which verifies signatures.
  const spelled = NUMBERS.find(
    (name) => members[name] !== undefined && !/^[A-Za-z0-9_-]+$/.test(String(members[name])),
  );
  if (spelled) return `has a member ${spelled} that is not in base64url.`;
  const { use, alg } = members as Partial<PublicKey>;
  if (use !== undefined && use !== "sig") return "must have use sig, or none.";
  if (alg !== undefined && !CLIENT_JWT_ALGS.includes(alg))
    return `must have alg ${CLIENT_JWT_ALGS.join(", ")}, or none.`;
  return isKnownKind(members as unknown as PublicKey)
    ? undefined
    : `must be a public key: RSA of ${RSA_BITS.join(" to ")} bits, EC P-256 or OKP Ed25519.`;
}

function isKnownKind(key: PublicKey): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: { ...publicKey(key) }, format: "jwk" });
    if (asymmetricKeyType === "ec") return key.crv === "P-256";
    if (asymmetricKeyType === "ed25519") return true;
    const { modulusLength: bits = 0, publicExponent: e = 0n } = asymmetricKeyDetails ?? {};
    return asymmetricKeyType === "rsa" && bits >= RSA_BITS[0] && bits <= RSA_BITS[1] && e >= 3n && e % 2n === 1n;
  } catch {
    return false;
  }
}

function publicKey(key: PublicKey): PublicKey {
  return Object.fromEntries(MEMBERS.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]]))) as never;
}

/** The usable keys of a published set, which may contain others (RFC 7517 5). */
export function usableKeys(set: unknown): Jwks {
  const { keys } = (set ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) return { keys: [] };
  const usable = keys.slice(0, MAX_PUBLISHED).filter((key): key is PublicKey => keyProblem(key) === undefined);
  return { keys: usable.slice(0, MAX_KEYS).map(publicKey) };
}
