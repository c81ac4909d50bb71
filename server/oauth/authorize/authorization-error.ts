/** RFC 6749 4.1.2.1, OIDC Core 3.1.2.6, RFC 8707 2, OpenID Connect Unmet Authentication Requirements. */
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
