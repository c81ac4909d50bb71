// Requests at MTLS_URL, where a proxy requests client certificates (RFC 8705) and forwards them in a header (RFC 9440).
// At other addresses any client could send that header, so it is ignored.

import { urlOf } from "../../platform/address.ts";
import type { Config } from "../../platform/config/config.ts";
import { contextOf } from "../../platform/http/context.ts";
import { type Certificate, readCertificate } from "./certificate.ts";

export interface Mtls {
  /** The base address of the request: PUBLIC_URL or MTLS_URL. */
  baseOf(request: Request): string;
  /** Undefined: no certificate, or the address is not MTLS_URL. @throws TokenError if it cannot be parsed */
  certificateOf(request: Request): Promise<Certificate | undefined>;
  /** Undefined: clients cannot authenticate by certificate. */
  url: string | undefined;
}

export function createMtls(issuer: string, config: Config["mtls"]): Mtls {
  const { host = "", port = "" } = config ? urlOf(config.url) : {};
  // Some clients include https's default port.
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
