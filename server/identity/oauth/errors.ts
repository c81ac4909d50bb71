import { ApiError } from "../../platform/errors.ts";

const UNAUTHORIZED = { kind: "Unauthorized", status: 400, title: "Unauthorized" } as const;
const PERMISSION = { kind: "Permission", status: 403, title: "Forbidden" } as const;
const BAD_INPUT = { kind: "Bad Input", status: 400, title: "Bad Request" } as const;

/** Left: docs/behaviour.md "Token endpoint errors"; right: RFC 6749 5.2. */
export const FAILURES = {
  invalid_request: [BAD_INPUT, "invalid_request"],
  invalid_client: [UNAUTHORIZED, "invalid_client"],
  invalid_grant: [BAD_INPUT, "invalid_grant"],
  /** The code or refresh token was issued to a different client. */
  another_clients_grant: [PERMISSION, "invalid_grant"],
  unauthorized_client: [PERMISSION, "unauthorized_client"],
  unsupported_grant_type: [BAD_INPUT, "unsupported_grant_type"],
  invalid_scope: [BAD_INPUT, "invalid_scope"],
  /** RFC 8707 2. */
  invalid_target: [BAD_INPUT, "invalid_target"],
  /** RFC 9449 5. */
  invalid_dpop_proof: [BAD_INPUT, "invalid_dpop_proof"],
  /** RFC 9449 8; the nonce is in the header DPoP-Nonce. */
  use_dpop_nonce: [BAD_INPUT, "use_dpop_nonce"],
} as const;

export type TokenFailure = keyof typeof FAILURES;

/** An error in neutral form; the door of the request formats it. */
export class TokenError extends ApiError {
  /** RFC 6749 5.2. */
  readonly code: string;

  /** @param description for developers; must not contain secrets @param code a more specific code of the RFC door */
  constructor(failure: TokenFailure, description: string, code?: string) {
    const [{ status, kind, title }, standard] = FAILURES[failure];
    super(status, kind, title, [description]);
    this.code = code ?? standard;
  }
}

/** RFC 6749 4.1.2.1, OIDC Core 3.1.2.6, RFC 8707 2, RFC 9101 7, OpenID Connect Unmet Authentication Requirements. */
export type AuthorizationErrorCode =
  | "invalid_request"
  | "unauthorized_client"
  | "access_denied"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "server_error"
  | "login_required"
  | "account_selection_required"
  | "consent_required"
  | "invalid_request_object"
  | "invalid_request_uri"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported"
  | "unmet_authentication_requirements";

/** An error that is reported to the client by redirect. */
export class AuthorizationError extends Error {
  /** @param description for developers; RFC 6749 excludes quotes, backslashes and non-ASCII characters */
  constructor(
    readonly code: AuthorizationErrorCode,
    description: string,
  ) {
    super(description.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?"));
    this.name = new.target.name;
  }
}

export const mayNotUse = (grantType: string) =>
  `The client is not permitted to use grant_type ${grantType}. An administrator can add it to GrantTypes.`;
