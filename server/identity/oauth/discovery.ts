// GET /.well-known/openid-configuration (OIDC Discovery 3) and /.well-known/oauth-authorization-server (RFC 8414).

import { Elysia } from "elysia";
import { urlOf } from "../../platform/address.ts";
import { openTo, preflight } from "../../platform/http/cors.ts";
import { requireMethod } from "../../platform/http/request.ts";
import { SCOPES } from "../../records/index.ts";
import { texts } from "../../ui/index.ts";
import { ATTAINABLE_ACRS } from "./authorize/index.ts";
import { KNOWN_CLAIMS } from "./claims.ts";
import {
  ACCESS_TOKEN_ALGS,
  CLIENT_JWT_ALGS,
  GRANT_TYPES,
  PROVIDER_METADATA,
  RESPONSE_MODES,
  RESPONSE_TYPES,
  SIGNED_RESPONSE_MODES,
  SUBJECT_TYPES,
} from "./contract.ts";
import { type PublicEndpoint, RFC_TAG } from "./declared.ts";
import {
  AUTHORIZATION_PATH,
  DEVICE_AUTHORIZATION_PATH,
  END_SESSION_PATH,
  INTROSPECTION_PATH,
  JWKS_PATH,
  PUSHED_REQUEST_PATH,
  REGISTRATION_PATH,
  REVOCATION_PATH,
  RFC_TOKEN_PATH,
  USERINFO_PATH,
} from "./door.ts";
import { DPOP_ALGS } from "./dpop/proof.ts";

const CLIENT_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

const metadataAt = (path: string, id: string, source: string): PublicEndpoint => ({
  kind: "public",
  path,
  id,
  tag: RFC_TAG,
  summary: `Provider metadata for client libraries (${source})`,
  answer: { description: "The provider's metadata.", schema: PROVIDER_METADATA },
});

export const METADATA = [
  metadataAt("/.well-known/openid-configuration", "getOpenIdConfiguration", "OIDC Discovery 3"),
  metadataAt("/.well-known/oauth-authorization-server", "getAuthorizationServer", "RFC 8414"),
];

/** Milliseconds for which a tenant's change may not be visible yet. */
const REGISTRATION_KEPT_MS = 5_000;

/** Features that at least one tenant has enabled. */
interface Switched {
  registration: boolean;
  documents: boolean;
}

const NOTHING: Switched = { registration: false, documents: false };

export function discoveryController(
  issuer: string,
  mtlsUrl: string | undefined,
  readSwitched: () => Promise<Switched>,
) {
  const controller = new Elysia();
  let known = { switched: NOTHING, until: 0 };
  /** Uses the last known values while PostgreSQL is unavailable. */
  async function body(): Promise<string> {
    const now = performance.now();
    if (now >= known.until) {
      known.until = now + REGISTRATION_KEPT_MS;
      const switched = await readSwitched().catch(() => known.switched);
      known = { switched, until: now + REGISTRATION_KEPT_MS };
    }
    return JSON.stringify(metadata(issuer, known.switched, mtlsUrl));
  }
  const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };
  // RFC 8414 3.1: the well-known path precedes the issuer's path. Some proxies forward such an address unchanged.
  const base = urlOf(issuer).pathname.replace(/\/$/, "");
  const paths = METADATA.flatMap(({ path }) => (base ? [path, path + base] : [path]));
  for (const path of paths) {
    controller
      .options(path, ({ request }) => preflight(request, "*", ["GET"]))
      .all(path, async ({ request }) => {
        requireMethod(request, "GET");
        return openTo("*", new Response(await body(), { headers }));
      });
  }
  return controller;
}

export function metadata(issuer: string, { registration, documents } = NOTHING, mtlsUrl?: string) {
  const methods = mtlsUrl === undefined ? CLIENT_AUTHENTICATION : [...CLIENT_AUTHENTICATION, "tls_client_auth"];
  return {
    issuer,
    authorization_endpoint: issuer + AUTHORIZATION_PATH,
    userinfo_endpoint: issuer + USERINFO_PATH,
    jwks_uri: issuer + JWKS_PATH,
    ...addressesAt(issuer),
    // RFC 8705 5.
    ...(mtlsUrl !== undefined && { mtls_endpoint_aliases: addressesAt(mtlsUrl) }),
    require_pushed_authorization_requests: false,
    // Present only if some tenant allows dynamic registration.
    ...(registration && { registration_endpoint: issuer + REGISTRATION_PATH }),
    ...(documents && { client_id_metadata_document_supported: true }),
    end_session_endpoint: issuer + END_SESSION_PATH,
    scopes_supported: SCOPES,
    response_types_supported: RESPONSE_TYPES,
    response_modes_supported: [...RESPONSE_MODES, ...SIGNED_RESPONSE_MODES],
    grant_types_supported: GRANT_TYPES,
    subject_types_supported: SUBJECT_TYPES,
    id_token_signing_alg_values_supported: ACCESS_TOKEN_ALGS,
    userinfo_signing_alg_values_supported: ACCESS_TOKEN_ALGS,
    introspection_signing_alg_values_supported: ACCESS_TOKEN_ALGS,
    // JARM 4: signed with the client's id_token algorithm.
    authorization_signing_alg_values_supported: ACCESS_TOKEN_ALGS,
    token_endpoint_auth_methods_supported: [...methods, "none"],
    revocation_endpoint_auth_methods_supported: [...methods, "none"],
    introspection_endpoint_auth_methods_supported: methods,
    // RFC 8414 2: needed with private_key_jwt.
    token_endpoint_auth_signing_alg_values_supported: CLIENT_JWT_ALGS,
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_JWT_ALGS,
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_JWT_ALGS,
    code_challenge_methods_supported: ["S256"],
    dpop_signing_alg_values_supported: DPOP_ALGS,
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    display_values_supported: ["page"],
    claim_types_supported: ["normal"],
    claims_supported: CLAIMS,
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: CLIENT_JWT_ALGS,
    require_signed_request_object: false,
    // Supported only for pushed requests.
    request_uri_parameter_supported: false,
    acr_values_supported: ATTAINABLE_ACRS,
    ui_locales_supported: texts.LANGUAGE_CODES,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  };
}

function addressesAt(base: string) {
  return {
    token_endpoint: base + RFC_TOKEN_PATH,
    revocation_endpoint: base + REVOCATION_PATH,
    introspection_endpoint: base + INTROSPECTION_PATH,
    pushed_authorization_request_endpoint: base + PUSHED_REQUEST_PATH,
    device_authorization_endpoint: base + DEVICE_AUTHORIZATION_PATH,
  };
}

const CLAIMS = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", ...KNOWN_CLAIMS];
