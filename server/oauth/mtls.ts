// Requests that come in at MTLS_URL, where a proxy of ours asks clients for a certificate (RFC 8705) and passes it in a
// header (RFC 9440). At every other address anybody can send that header, so it says nothing.

import type { Config } from "../config.ts";
import { contextOf } from "../http/context.ts";
import { type Certificate, readCertificate } from "./clients/certificate.ts";

export interface Mtls {
  /** The address of ours that a request came to: PUBLIC_URL, or MTLS_URL. */
  baseOf(request: Request): string;
  /** @returns undefined if there is none, or its header counts for nothing here @throws TokenError if it cannot be read */
  certificateOf(request: Request): Promise<Certificate | undefined>;
  /** Undefined: no client can prove who it is by a certificate. */
  url: string | undefined;
}

export function createMtls(issuer: string, config: Config["mtls"]): Mtls {
  const { host = "", port = "" } = config ? new URL(config.url) : {};
  // Some clients name the port of https, too.
  const hosts = port === "" ? [host, `${host}:443`] : [host];
  const isThere = (request: Request) => hosts.includes(request.headers.get("host")?.toLowerCase() ?? "");
  return {
    url: config?.url,
    baseOf: (request) => (config && isThere(request) ? config.url : issuer),
    async certificateOf(request) {
      const header =
        config && isThere(request) && !contextOf(request).isDirect ? request.headers.get(config.header) : null;
      return header ? readCertificate(header) : undefined;
    },
  };
}
