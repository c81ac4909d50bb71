// The certificate of a client, and the comparison of its names (RFC 8705 2.1). The proxy has already verified the
// certificate chain.

import { domainToASCII } from "node:url";
import { plainAddress } from "../http/context.ts";
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

/** @param header in the format of RFC 9440 2.1 or nginx's `$ssl_client_escaped_cert` @throws TokenError */
export async function readCertificate(header: string): Promise<Certificate> {
  const der = header.length <= CERTIFICATE_LIMIT ? derOf(header.trim()) : undefined;
  const certificate = der && (await parsed(der));
  if (!certificate)
    throw new TokenError("invalid_client", "Client authentication failed: the certificate is unreadable.");
  return certificate;
}

/** The Fetch standard joins repeated headers with commas, which neither format contains. */
function derOf(header: string): Uint8Array<ArrayBuffer> | undefined {
  const field = /^:([A-Za-z0-9+/]+=*):$/.exec(header)?.[1];
  if (field) return Uint8Array.fromBase64(field, { lastChunkHandling: "loose" });
  const pem = header.startsWith("-----BEGIN%20") ? unescaped(header) : undefined;
  const body = pem && /^-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(pem)?.[1];
  return body ? new Uint8Array(Buffer.from(body, "base64")) : undefined;
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Loaded on first use, so services without such clients do not load it. */
async function parsed(der: Uint8Array<ArrayBuffer>): Promise<Certificate | undefined> {
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

const KINDS: Record<
  Exclude<CertificateName, "SubjectDn">,
  { type: string; plain(value: string): string | undefined }
> = {
  SanDns: { type: "dns", plain: plainHost },
  SanUri: { type: "url", plain: (value) => (URL.canParse(value) ? value : undefined) },
  SanIp: { type: "ip", plain: (value) => (value.includes("%") ? undefined : plainAddress(value)) },
  SanEmail: { type: "email", plain: plainEmail },
};

/** RFC 5280 7.2. */
function plainHost(value: string): string | undefined {
  const host = value.includes("*") ? "" : domainToASCII(value);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host) ? host : undefined;
}

/** RFC 5280 7.5: the part before the @ is case-sensitive. */
function plainEmail(value: string): string | undefined {
  const [, local, host = ""] = /^([^@\s]+)@([^@\s]+)$/.exec(value) ?? [];
  const plain = plainHost(host);
  return local && plain && `${local}@${plain}`;
}

export function canBeNamed(name: CertificateName, value: string): boolean {
  return (name === "SubjectDn" ? distinguishedName(value) : KINDS[name].plain(value)) !== undefined;
}

export function isNamed({ subject, alternatives }: Certificate, name: CertificateName, value: string): boolean {
  if (name === "SubjectDn") {
    const wanted = distinguishedName(value);
    return wanted !== undefined && isSameName(wanted, subject.toReversed());
  }
  const { type, plain } = KINDS[name];
  const wanted = plain(value);
  return wanted !== undefined && alternatives.some((one) => one.type === type && plain(one.value) === wanted);
}
