// The certificate of a client, and the comparison of its names (RFC 8705 2.1). The proxy has already verified the
// certificate chain.

import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";
import { readUrl } from "../../platform/address.ts";
import { distinguishedName, isSameName, type RelativeName } from "./distinguished-name.ts";
import { TokenError } from "./errors.ts";

/** The kind of name that identifies a client (RFC 8705 2.1.2). */
export const CERTIFICATE_NAMES = ["SubjectDn", "SanDns", "SanUri", "SanIp", "SanEmail"] as const;
export type CertificateName = (typeof CERTIFICATE_NAMES)[number];

/** The maximum number of characters of the header. */
export const CERTIFICATE_LIMIT = 12_000;

export interface Certificate {
  subject: RelativeName[];
  alternatives: { type: string; value: string }[];
  /** Milliseconds since 1970. */
  validFrom: number;
  validTo: number;
}

/** @param header as sent by a proxy, in one of the formats of docs/sign-in.md @throws TokenError */
export async function readCertificate(header: string): Promise<Certificate> {
  const der = header.length <= CERTIFICATE_LIMIT ? derOf(header.trim()) : undefined;
  const certificate = der && isWhole(der) && (await parsed(der));
  if (!certificate)
    throw new TokenError("invalid_client", "Client authentication failed: the certificate is unreadable.");
  return certificate;
}

/** The Fetch standard joins repeated headers with a comma and a space, which only the lists of Envoy contain. */
function derOf(header: string): Uint8Array<ArrayBuffer> | undefined {
  const value = /^"([^"]*)"$/.exec(header)?.[1] ?? header;
  const text = decoded(ENVOY.test(value) ? onlyCertificate(value) : value);
  const base64 = text && FORMATS.map((format) => format.exec(text)?.[1]).find((found) => found !== undefined);
  try {
    return base64 ? Uint8Array.fromBase64(base64, { lastChunkHandling: "loose" }) : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 9440 2.1; PEM with its lines joined by any white space; base64. The client's own certificate comes first. */
const FORMATS = [
  /^:([A-Za-z0-9+/]+=*):$/,
  /^-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----(?:\s*-----BEGIN CERTIFICATE-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)*\s*$/,
  /^(MI[A-Za-z0-9+/]+=*)(?:,MI[A-Za-z0-9+/]+=*)*$/,
];

/** Some proxies encode as in a form, with `+` for spaces; others leave the `+` of base64 as it is. */
function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text.startsWith("-----BEGIN+") ? text.replaceAll("+", " ") : text);
  } catch {
    return undefined;
  }
}

const ENVOY = /^(?:By|Hash|Cert|Chain|Subject|URI|DNS)=/i;
const ENVOY_PAIR = /\s*([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(?:([;,])|$)/y;

/**
 * Envoy's X-Forwarded-Client-Cert. Envoy does not escape a URI in it, so a client's own name could look like another
 * element, or like a Cert without quotes. @returns undefined unless there is one element with one Cert
 */
function onlyCertificate(header: string): string | undefined {
  const certificates: string[] = [];
  for (let at = 0; at < header.length; at = ENVOY_PAIR.lastIndex) {
    ENVOY_PAIR.lastIndex = at;
    const [, name, value, end] = ENVOY_PAIR.exec(header) ?? [];
    if (name === undefined || value === undefined || end === ",") return undefined;
    if (name.toLowerCase() !== "cert") continue;
    if (!value.startsWith('"')) return undefined;
    certificates.push(value.slice(1, -1).replace(/\\(.)/g, "$1"));
  }
  return certificates.length === 1 ? certificates[0] : undefined;
}

/** The length in the outer SEQUENCE, because the parser ignores bytes after it. No certificate has under 256 bytes. */
function isWhole(der: Uint8Array): boolean {
  return der[0] === 0x30 && der[1] === 0x82 && der.length === 4 + der[2]! * 256 + der[3]!;
}

/** Loaded on first use, so services without such clients do not load it. */
async function parsed(der: Uint8Array<ArrayBuffer>): Promise<Certificate | undefined> {
  // The library needs it, and does not load it.
  await import("reflect-metadata");
  const { SubjectAlternativeNameExtension, X509Certificate } = await import("@peculiar/x509");
  try {
    const certificate = new X509Certificate(der);
    return {
      subject: certificate.subjectName.toJSON(),
      alternatives: certificate.getExtension(SubjectAlternativeNameExtension)?.names.toJSON() ?? [],
      validFrom: certificate.notBefore.getTime(),
      validTo: certificate.notAfter.getTime(),
    };
  } catch {
    return undefined;
  }
}

export function isValidNow({ validFrom, validTo }: Certificate, now = Date.now()): boolean {
  return validFrom <= now && now <= validTo;
}

interface Kind {
  /** As the certificate's library names it. */
  type: string;
  /** The comparable form of a value in a certificate; undefined: it is invalid, and equals no name. */
  plain(value: string): string | undefined;
  /** The same for the name that an administrator enters. */
  entered?(value: string): string | undefined;
}

const KINDS: Record<Exclude<CertificateName, "SubjectDn">, Kind> = {
  SanDns: { type: "dns", plain: plainHost, entered: enteredHost },
  SanUri: { type: "url", plain: (value) => (VISIBLE.test(value) && readUrl(value) ? value : undefined) },
  SanIp: { type: "ip", plain: octets },
  SanEmail: {
    type: "email",
    plain: (value) => plainEmail(value, plainHost),
    entered: (value) => plainEmail(value, enteredHost),
  },
};

const VISIBLE = /^[\x21-\x7e]+$/;
const HOST_LIMIT = 253;
const LABELS = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** An address, or what some parsers read as one. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)$/i;

/** Letters, digits and hyphens as in the certificate, ignoring case (RFC 9525 6.3): no wildcard, no final dot. */
function plainHost(value: string): string | undefined {
  const isHost = value.length <= HOST_LIMIT && LABELS.test(value) && !ENDS_IN_NUMBER.test(value);
  return isHost ? value.toLowerCase() : undefined;
}

/** Also accepts letters of other languages. domainToASCII alone would cut at `/`, `?`, `#` and `\`, and decode `%72`. */
function enteredHost(value: string): string | undefined {
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(value) ? plainHost(domainToASCII(value)) : undefined;
}

/** RFC 5280 7.5: the part before the @ is case-sensitive. */
function plainEmail(value: string, hostOf: typeof plainHost): string | undefined {
  const [, local, host = ""] = /^([^@]+)@([^@]+)$/.exec(value) ?? [];
  const plain = hostOf(host);
  return local && VISIBLE.test(local) && plain ? `${local}@${plain}` : undefined;
}

/** RFC 8705 2.1.2: 4 or 16 octets. An IPv4 address in IPv6 is a different one. */
function octets(value: string): string | undefined {
  return isIP(value) !== 0 && !value.includes("%") ? ipaddr.parse(value).toByteArray().join(".") : undefined;
}

const enteredName = (name: keyof typeof KINDS, value: string) => (KINDS[name].entered ?? KINDS[name].plain)(value);

export function canBeNamed(name: CertificateName, value: string): boolean {
  return (name === "SubjectDn" ? distinguishedName(value) : enteredName(name, value)) !== undefined;
}

export function isNamed({ subject, alternatives }: Certificate, name: CertificateName, value: string): boolean {
  if (name === "SubjectDn") {
    const wanted = distinguishedName(value);
    return wanted !== undefined && isSameName(wanted, subject.toReversed());
  }
  const { type, plain } = KINDS[name];
  const wanted = enteredName(name, value);
  return wanted !== undefined && alternatives.some((one) => one.type === type && plain(one.value) === wanted);
}
