import { API_PATH } from "../http/paths.ts";

/**
 * What a client may name as the resource it wants a token for (RFC 8707 2): all our tokens are for the one API.
 * @returns why it may not, in words; undefined if it may
 */
export function resourceProblem(resource: string, issuer: string): string | undefined {
  const named = resource.replace(/\/$/, "");
  return named === issuer || named === issuer + API_PATH ? undefined : `resource must be ${issuer}${API_PATH}.`;
}
