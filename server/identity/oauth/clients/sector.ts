// The addresses in a client's SectorIdentifierUri (OIDC Core 8.1).

import { urlOf } from "../../../platform/address.ts";
import { type CheckUrl, EgressError, type EgressFetch } from "../../../platform/egress/index.ts";
import { BadInput } from "../../../platform/errors.ts";
import { printable } from "../../../platform/http/body.ts";
import { answeredJson } from "../../../platform/http/json.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Credentials } from "./contract.ts";

const TIMEOUT_MS = 5_000;

export interface SectorListing {
  uri: string;
  uris: readonly string[];
  problem?: string;
}

/** @returns undefined if the address may not be requested */
export type ReadSector = (tenantId: TenantId, uri: string) => Promise<SectorListing | undefined>;

export function createReadSector(fetch: EgressFetch, checkUrl: CheckUrl): ReadSector {
  return async (tenantId, uri) => {
    if (uri === "" || checkUrl(uri)) return undefined;
    const failed = (problem: string) => ({ uri, uris: [], problem });
    try {
      const headers = { accept: "application/json" };
      const answer = await fetch(tenantId, uri, { method: "GET", headers, timeoutMs: TIMEOUT_MS });
      if (answer.status !== 200) return failed(`the answer has status ${answer.status}`);
      const listed: unknown = await answeredJson(answer);
      const isList = Array.isArray(listed) && listed.every((one) => typeof one === "string");
      return isList ? { uri, uris: listed } : failed("the answer is not a JSON list of addresses");
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return failed(error.message);
    }
  };
}

/** Checks that new redirect URIs are in the sector's list. @throws BadInput */
export function requireListed(after: Credentials, before: Credentials, listing: SectorListing | undefined): void {
  const { sectorIdentifierUri: uri, redirectUris } = after;
  const isAsBefore = uri === before.sectorIdentifierUri;
  const added = isAsBefore ? redirectUris.filter((one) => !before.redirectUris.includes(one)) : redirectUris;
  if (uri === "" || (isAsBefore && added.length === 0)) return;
  if (listing?.uri !== uri) throw refused(": too many are being read. Try again.");
  if (listing.problem) throw refused(` cannot be read: ${listing.problem}.`);
  const missing = added.find((one) => !listing.uris.includes(one));
  if (missing) throw refused(` does not list ${printable(missing)}.`);
}

function refused(problem: string): BadInput {
  return BadInput.in([{ Field: "SectorIdentifierUri", Message: `SectorIdentifierUri${problem}` }]);
}

type SectorOwner = Pick<Credentials, "sectorIdentifierUri" | "redirectUris">;

/** OIDC Core 8.1. @returns undefined if SectorIdentifierUri is required */
export function sectorOf({ sectorIdentifierUri, redirectUris }: SectorOwner): string | undefined {
  if (sectorIdentifierUri !== "") return urlOf(sectorIdentifierUri).host;
  const all = redirectUris.map(urlOf);
  const hosts = new Set(all.map(({ host }) => host));
  // Loopback addresses are shared by all applications.
  return all.length > 0 && hosts.size === 1 && all.every(({ protocol }) => protocol === "https:")
    ? all[0]!.host
    : undefined;
}
