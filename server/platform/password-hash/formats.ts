// The texts of password hashes: the crypt and PHC forms, and those of single products (docs/sign-in.md "Imported
// passwords").

import { createHash } from "node:crypto";
import {
  argon2Hash,
  bcryptHash,
  type Digest,
  firebaseHash,
  type PasswordHash,
  pbkdf2Hash,
  saltedHash,
  scryptHash,
  WrongHash,
} from "./derived.ts";
import { keycloakHash } from "./keycloak.ts";

/** The last characters of salt and hash have unused bits, which are 0. */
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;
const B64 = "([A-Za-z0-9+/]+={0,2})";

/** A format's text, with the values that its expression finds. */
type Format = [pattern: RegExp, read: (...values: string[]) => PasswordHash];

const FORMATS: Format[] = [
  [BCRYPT, (text) => bcryptHash(text!)],
  [
    new RegExp(String.raw`^\$argon2(id|i|d)\$(?:v=(\d{1,4})\$)?m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$${B64}\$${B64}$`),
    (_, type, version = "16", memory, time, parallelism, salt, hash) =>
      argon2Hash({
        type: type as "i" | "d" | "id",
        version: Number(version),
        memory: Number(memory),
        time: Number(time),
        parallelism: Number(parallelism),
        salt: base64(salt),
        hash: base64(hash),
      }),
  ],
  [
    new RegExp(String.raw`^\$scrypt\$ln=(\d{1,2}),r=(\d{1,9}),p=(\d{1,9})\$${B64}\$${B64}$`),
    (_, log, r, p, salt, hash) =>
      scryptHash({ cost: 2 ** Number(log), r: Number(r), p: Number(p), salt: base64(salt), hash: base64(hash) }),
  ],
  [
    /^\$7\$([./A-Za-z0-9])([./A-Za-z0-9]{5})([./A-Za-z0-9]{5})([^$]+)\$([./A-Za-z0-9]{43})$/,
    (_, log, r, p, salt, hash) =>
      scryptHash({
        cost: 2 ** fromCrypt(log!),
        r: fromCrypt(r!),
        p: fromCrypt(p!),
        salt: Buffer.from(salt!),
        hash: cryptBytes(hash!),
      }),
  ],
  // passlib writes "." for "+", and the iterations without a name.
  [
    /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,9})(?:,l=\d{1,3})?\$([A-Za-z0-9./+]+={0,2})\$([A-Za-z0-9./+]+={0,2})$/,
    (_, digest = "sha1", iterations, salt, hash) =>
      pbkdf2Hash({
        digest: digest as Digest,
        iterations: Number(iterations),
        salt: base64(salt!.replaceAll(".", "+")),
        hash: base64(hash!.replaceAll(".", "+")),
      }),
  ],
  [
    new RegExp(String.raw`^\$firescrypt\$ln=(\d{1,2}),r=(\d{1,9}),p=(\d{1,9})\$${B64}\$${B64}\$${B64}\$${B64}$`),
    (_, log, r, p, salt, hash, separator, signerKey) =>
      firebaseHash({
        cost: 2 ** Number(log),
        r: Number(r),
        p: Number(p),
        salt: base64(salt),
        hash: base64(hash),
        separator: base64(separator),
        signerKey: base64(signerKey),
      }),
  ],
  [new RegExp(`^\\{SSHA256\\}${B64}$`, "i"), (_, text) => ldapHash("sha256", 32, base64(text))],
  [new RegExp(`^\\{SSHA512\\}${B64}$`, "i"), (_, text) => ldapHash("sha512", 64, base64(text))],
  [
    new RegExp(String.raw`^pbkdf2_(sha1|sha256)\$(\d{1,9})\$([^$]+)\$${B64}$`),
    (_, digest, iterations, salt, hash) =>
      pbkdf2Hash({
        digest: digest as Digest,
        iterations: Number(iterations),
        salt: Buffer.from(salt!),
        hash: base64(hash),
      }),
  ],
  [
    new RegExp(String.raw`^scrypt\$(\d{1,9})\$([^$]+)\$(\d{1,9})\$(\d{1,9})\$${B64}$`),
    (_, cost, salt, r, p, hash) =>
      scryptHash({ cost: Number(cost), r: Number(r), p: Number(p), salt: Buffer.from(salt!), hash: base64(hash) }),
  ],
  // Django prefixes the name of its hasher.
  [/^(?:argon2|bcrypt\$)(\$(?:argon2|2[aby]\$).+)$/s, (_, text) => readHash(text!)],
  [
    /^bcrypt_sha256\$(\$2.+)$/s,
    (_, text) => {
      if (!BCRYPT.test(text!)) throw new WrongHash(UNKNOWN);
      return bcryptHash(text!, (password) => createHash("sha256").update(password).digest("hex"));
    },
  ],
  [new RegExp(`^(AQ${B64})$`), (text) => aspNetHash(base64(text))],
  [/^\s*\{.*\}\s*$/s, (text) => keycloakHash(text!)],
];

const UNKNOWN = "has no supported format; docs/sign-in.md lists them.";

/** @throws WrongHash for an unknown format, and for one that would cost too much to check */
export function readHash(text: string): PasswordHash {
  for (const [pattern, read] of FORMATS) {
    const found = pattern.exec(text);
    if (found) return read(...found);
  }
  throw new WrongHash(UNKNOWN);
}

/** Systems hashed what they got: characters composed or decomposed. NUL ended the text in some of them. */
export async function matchesHash(password: string, text: string): Promise<boolean> {
  if (password.includes("\0")) return false;
  const { verify } = readHash(text);
  const forms = new Set([password.normalize("NFC"), password.normalize("NFD")]);
  for (const form of forms) if (await verify(form)) return true;
  return false;
}

const base64 = (text = "") => Buffer.from(text, "base64");

/** The digest, and the salt after it. */
function ldapHash(digest: Digest, length: number, bytes: Buffer): PasswordHash {
  return saltedHash({ digest, hash: bytes.subarray(0, length), salt: bytes.subarray(length) });
}

const ASP_NET_DIGESTS: readonly Digest[] = ["sha1", "sha256", "sha512"];
const ASP_NET_HEAD = 13;

/** Version 3: 0x01, then the function, the iterations and the salt's length as 32 bits each, the salt, the hash. */
function aspNetHash(bytes: Buffer): PasswordHash {
  const digest = bytes.length > ASP_NET_HEAD ? ASP_NET_DIGESTS[bytes.readUInt32BE(1)] : undefined;
  if (!digest) throw new WrongHash(UNKNOWN);
  const [iterations, saltLength] = [bytes.readUInt32BE(5), bytes.readUInt32BE(9)];
  const rest = bytes.subarray(ASP_NET_HEAD);
  return pbkdf2Hash({ digest, iterations, salt: rest.subarray(0, saltLength), hash: rest.subarray(saltLength) });
}

const CRYPT_DIGITS = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A number in crypt's digits, the lowest first. */
const fromCrypt = (text: string) => [...text].reduce((sum, one, at) => sum + CRYPT_DIGITS.indexOf(one) * 64 ** at, 0);

/** Four digits are three bytes, the lowest first. */
function cryptBytes(text: string): Buffer {
  const groups = text.match(/.{1,4}/g) ?? [];
  return Buffer.from(
    groups.flatMap((group) => [0, 8, 16].slice(0, group.length - 1).map((bits) => (fromCrypt(group) >> bits) & 255)),
  );
}
