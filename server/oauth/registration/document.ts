// A client ID metadata document (draft-ietf-oauth-client-id-metadata-document): where it may be, how it is fetched, and
// which members count.

import { EgressError, type EgressFetch } from "../../egress/index.ts";
import type { TenantId } from "../../ids.ts";
import type { CheckUrl } from "../clients/credential-rules.ts";
import { invalid } from "./metadata.ts";

/** Bytes of a document (6.6 of the draft). */
export const DOCUMENT_LIMIT = 5 * 1024;
const TIMEOUT_MS = 5_000;
/** Seconds for which a document is not read again; its own Cache-Control counts within these bounds. */
const FRESH_SECONDS = { least: 300, standard: 3_600, most: 86_400 };
/** Grants that such a client may use. Its document is for all servers, so others in it are left out. */
const GRANTS = ["authorization_code", "refresh_token"];
const METHODS = ["none", "private_key_jwt"];

export interface ReadDocument {
  document: Record<string, unknown>;
  /** Seconds. */
  fresh: number;
}

/** The document could not be had, so nothing new is known about the client. */
export class NoAnswer extends Error {}

/** The address answers with something else. */
export class NoDocument extends Error {}

/** @throws NoAnswer, NoDocument */
export async function fetchDocument(fetch: EgressFetch, tenantId: TenantId, url: string): Promise<ReadDocument> {
  const answer = await asked(fetch, tenantId, url);
  if (answer.status >= 500 || answer.status === 429) throw new NoAnswer(`the answer has status ${answer.status}`);
  // No redirect is followed (3 of the draft).
  if (answer.status !== 200) throw new NoDocument(`the answer has status ${answer.status}, not 200`);
  const type = answer.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) throw new NoDocument("the Content-Type is not JSON's");
  const document: unknown = await answer.json().catch(() => undefined);
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new NoDocument("it is no JSON object");
  }
  // 4 of the draft.
  if (!("client_id" in document) || document.client_id !== url)
    throw new NoDocument("its client_id is not its address");
  return { document: { ...document }, fresh: freshSeconds(answer.headers.get("cache-control") ?? "") };
}

async function asked(fetch: EgressFetch, tenantId: TenantId, url: string): Promise<Response> {
  const headers = { accept: "application/json" };
  const request = { method: "GET", headers, timeoutMs: TIMEOUT_MS, mostBytes: DOCUMENT_LIMIT } as const;
  try {
    return await fetch(tenantId, url, request);
  } catch (error) {
    if (error instanceof EgressError) throw new NoAnswer(error.message, { cause: error });
    throw error;
  }
}

function freshSeconds(cacheControl: string): number {
  const { least, standard, most } = FRESH_SECONDS;
  if (/(^|[\s,])no-(store|cache)\b/i.test(cacheControl)) return least;
  const told = /(?:^|[\s,])max-age=(\d{1,10})/i.exec(cacheControl)?.[1];
  return told === undefined ? standard : Math.min(Math.max(Number(told), least), most);
}

/**
 * The members of a document that count, as a client would register them.
 * @throws TokenError invalid_client_metadata
 */
export function metadataOf(
  document: Record<string, unknown>,
  url: string,
  checkUrl: CheckUrl,
): Record<string, unknown> {
  // 4.1 of the draft.
  const secret = ["client_secret", "client_secret_expires_at"].find((name) => Object.hasOwn(document, name));
  if (secret) throw invalid(`it has ${secret}, and everybody can read it`);
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

/** It is told of no logouts: those are requests to any address it names. */
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
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
