// What can be wrong with a request of a client: at the endpoints that answer it, and on the way through a browser.

import { ApiError } from "../errors.ts";

const UNAUTHORIZED = { kind: "Unauthorized", status: 400, title: "Unauthorized" } as const;
const PERMISSION = { kind: "Permission", status: 403, title: "Forbidden" } as const;
const BAD_INPUT = { kind: "Bad Input", status: 400, title: "Bad Request" } as const;

/** docs/behaviour.md "Token endpoint errors" on the left, RFC 6749 5.2 on the right. */
export const FAILURES = {
  invalid_request: [BAD_INPUT, "invalid_request"],
  /** It does not say who it is, or does not prove it. */
  invalid_client: [UNAUTHORIZED, "invalid_client"],
  invalid_grant: [BAD_INPUT, "invalid_grant"],
  /** A code or refresh token that was issued to another client. */
  another_clients_grant: [PERMISSION, "invalid_grant"],
  unauthorized_client: [PERMISSION, "unauthorized_client"],
  unsupported_grant_type: [BAD_INPUT, "unsupported_grant_type"],
  invalid_scope: [BAD_INPUT, "invalid_scope"],
  /** RFC 8707 2. */
  invalid_target: [BAD_INPUT, "invalid_target"],
  /** RFC 9449 5. */
  invalid_dpop_proof: [BAD_INPUT, "invalid_dpop_proof"],
  /** RFC 9449 8; the header DPoP-Nonce has it. */
  use_dpop_nonce: [BAD_INPUT, "use_dpop_nonce"],
} as const;

export type TokenFailure = keyof typeof FAILURES;

/** Thrown by the engine; the door it came in by gives it its shape. */
export class TokenError extends ApiError {
  /** RFC 6749 5.2. */
  readonly code: string;

  /**
   * @param description for people; never echo a secret here
   * @param code where the RFC door alone has a word of its own for it
   */
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

/** A failure that the client is told of by redirect. */
export class AuthorizationError extends Error {
  /** @param description for people; RFC 6749 leaves out quotes, backslashes and everything beyond ASCII */
  constructor(
    readonly code: AuthorizationErrorCode,
    description: string,
  ) {
    super(description.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?"));
    this.name = new.target.name;
  }
}
