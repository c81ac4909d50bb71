// Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document).

import { readUrl } from "../../../platform/address.ts";
import { type CheckUrl, EgressError, type EgressFetch } from "../../../platform/egress/index.ts";
import { answeredJson } from "../../../platform/http/json.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { invalid } from "./metadata.ts";

/** The maximum size in bytes (6.6 of the draft). */
export const DOCUMENT_LIMIT = 5 * 1024;
const TIMEOUT_MS = 5_000;
/** Seconds for which a document is cached; its Cache-Control applies within these bounds. */
const FRESH_SECONDS = { min: 300, standard: 3_600, max: 86_400 };
/** Supported grants. A document is for all servers, so others are ignored. */
const GRANTS = ["authorization_code", "refresh_token"];
const METHODS = ["none", "private_key_jwt"];

export interface ReadDocument {
  document: Record<string, unknown>;
  /** Seconds. */
  fresh: number;
}

/** The document could not be fetched, so the stored client is unchanged. */
export class NoAnswer extends Error {}

/** The response is not a valid document. */
export class NoDocument extends Error {}

/** @throws NoAnswer, NoDocument */
export async function fetchDocument(fetch: EgressFetch, tenantId: TenantId, url: string): Promise<ReadDocument> {
  const answer = await asked(fetch, tenantId, url);
  if (answer.status >= 500 || answer.status === 429) throw new NoAnswer(`the answer has status ${answer.status}`);
  // Redirects are not followed (3 of the draft).
  if (answer.status !== 200) throw new NoDocument(`the answer has status ${answer.status}, not 200`);
  const type = answer.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) throw new NoDocument("the Content-Type is not JSON");
  const document: unknown = await answeredJson(answer);
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new NoDocument("it is not a JSON object");
  }
  // 4 of the draft.
  if (!("client_id" in document) || document.client_id !== url)
    throw new NoDocument("its client_id is not its address");
  return { document: { ...document }, fresh: freshSeconds(answer.headers.get("cache-control") ?? "") };
}

async function asked(fetch: EgressFetch, tenantId: TenantId, url: string): Promise<Response> {
  const headers = { accept: "application/json" };
  const request = { method: "GET", headers, timeoutMs: TIMEOUT_MS, maxBytes: DOCUMENT_LIMIT } as const;
  try {
    return await fetch(tenantId, url, request);
  } catch (error) {
    if (error instanceof EgressError) throw new NoAnswer(error.message, { cause: error });
    throw error;
  }
}

function freshSeconds(cacheControl: string): number {
  const { min, standard, max } = FRESH_SECONDS;
  if (/(^|[\s,])no-(store|cache)\b/i.test(cacheControl)) return min;
  const maxAge = /(?:^|[\s,])max-age=(\d{1,10})/i.exec(cacheControl)?.[1];
  return maxAge === undefined ? standard : Math.min(Math.max(Number(maxAge), min), max);
}

/** The document's supported members in the form of a registration. @throws TokenError invalid_client_metadata */
export function metadataOf(
  document: Record<string, unknown>,
  url: string,
  checkUrl: CheckUrl,
): Record<string, unknown> {
  // 4.1 of the draft.
  const secret = ["client_secret", "client_secret_expires_at"].find((name) => Object.hasOwn(document, name));
  if (secret) throw invalid(`it has ${secret}, which would be public`);
  const { token_endpoint_auth_method: method = "none", grant_types: grants, jwks_uri: keys } = document;
  if (!METHODS.includes(method as string)) {
    throw invalid(`token_endpoint_auth_method must be ${METHODS.join(" or ")}`);
  }
  if (keys !== undefined && (typeof keys !== "string" || checkUrl(keys) || originOf(keys) !== originOf(url))) {
    throw invalid("jwks_uri must be an https address of the document's own origin");
  }
  const used = Array.isArray(grants) ? GRANTS.filter((one) => grants.includes(one)) : ["authorization_code"];
  if (!used.includes("authorization_code")) throw invalid("grant_types must have authorization_code");
  const own = Object.entries(document).filter(([name]) => COUNTED.includes(name));
  return {
    ...Object.fromEntries(own),
    token_endpoint_auth_method: method,
    grant_types: used,
  };
}

/** Logout addresses are missing, because a document could name any address as target. */
const COUNTED = [
  "client_name",
  "client_uri",
  "logo_uri",
  "policy_uri",
  "tos_uri",
  "scope",
  "redirect_uris",
  "post_logout_redirect_uris",
  "application_type",
  "jwks",
  "jwks_uri",
  "id_token_signed_response_alg",
  "subject_type",
  "require_pushed_authorization_requests",
  "require_signed_request_object",
  "dpop_bound_access_tokens",
];

function originOf(url: string): string | undefined {
  return readUrl(url)?.origin;
}
