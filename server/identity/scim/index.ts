// SCIM 2.0 (RFC 7643, RFC 7644): directories such as Entra ID and Okta keep Users and Groups in step.
// Begin with endpoint.ts, then resources.ts.

export { createController } from "./endpoint.ts";
