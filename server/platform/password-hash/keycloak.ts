// A credential of Keycloak's export, as JSON with `secretData` and `credentialData`.

import { isObject } from "../http/body.ts";
import { argon2Hash, type Digest, type PasswordHash, pbkdf2Hash, WrongHash } from "./derived.ts";

const PBKDF2: Readonly<Record<string, Digest>> = {
  pbkdf2: "sha1",
  "pbkdf2-sha1": "sha1",
  "pbkdf2-sha256": "sha256",
  "pbkdf2-sha512": "sha512",
};
const ARGON2_VERSIONS = new Map([
  ["1.0", 16],
  ["1.3", 19],
]);

/** @throws WrongHash */
export function keycloakHash(text: string): PasswordHash {
  const { secretData, credentialData } = objectOf(text);
  const [secret, credential] = [objectOf(secretData), objectOf(credentialData)];
  const { algorithm, hashIterations } = credential;
  const more = isObject(credential.additionalParameters) ? credential.additionalParameters : {};
  const first = (name: string) => String([more[name]].flat()[0] ?? "");
  const [salt, hash] = [bytesOf(secret.salt), bytesOf(secret.value)];
  const iterations = wholeOf(hashIterations);
  const digest = Object.hasOwn(PBKDF2, String(algorithm)) ? PBKDF2[String(algorithm)] : undefined;
  if (digest) return pbkdf2Hash({ digest, iterations, salt, hash });
  const type = /^(id|i|d)$/.exec(first("type"))?.[0] as "i" | "d" | "id" | undefined;
  if (algorithm !== "argon2" || !type) throw new WrongHash("has an algorithm of Keycloak that is not supported.");
  return argon2Hash({
    type,
    version: ARGON2_VERSIONS.get(first("version")) ?? 0,
    memory: wholeOf(first("memory")),
    time: iterations,
    parallelism: wholeOf(first("parallelism")),
    salt,
    hash,
  });
}

const WRONG = "must be a credential of Keycloak's export, with secretData and credentialData.";

/** Keycloak writes the inner objects as text. */
function objectOf(given: unknown): Record<string, unknown> {
  try {
    const value: unknown = typeof given === "string" ? JSON.parse(given) : given;
    if (isObject(value)) return value;
  } catch {
    // Not JSON.
  }
  throw new WrongHash(WRONG);
}

function wholeOf(given: unknown): number {
  const value = Number(given === "" ? Number.NaN : given);
  if (!Number.isSafeInteger(value)) throw new WrongHash(WRONG);
  return value;
}

function bytesOf(given: unknown): Buffer {
  if (typeof given !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(given)) throw new WrongHash(WRONG);
  return Buffer.from(given, "base64");
}
