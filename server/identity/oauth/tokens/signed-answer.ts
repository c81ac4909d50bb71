import { type Client, clientIdOf } from "../clients/store.ts";
import type { SigningAlg } from "../contract.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { ID_TOKEN, signJwt } from "./jwt.ts";

const INTROSPECTION_TYPE = "token-introspection+jwt";

/** Seconds: the maximum recommended by JARM 2.1. A form_post response may wait so long for its button to be pressed. */
const LIFETIME = 600;

/**
 * JARM 2.1. JARM defines no `typ`, and some libraries accept only JWT. Without sub and client_id it cannot be used as
 * an id_token or access token (RFC 8725 3.12), and clients do not control `fields`.
 */
export function signAnswer(
  keys: SigningKeys,
  issuer: string,
  client: Client,
  fields: Record<string, string | undefined>,
): Promise<string> {
  return signJwt(keys, client.idTokenAlg, ID_TOKEN, LIFETIME, { ...fields, iss: issuer, aud: clientIdOf(client) });
}

/** OIDC Core 5.3.2. Without exp it is no id_token, and without client_id no access token (RFC 8725 3.12). */
export function signUserinfo(
  keys: SigningKeys,
  issuer: string,
  client: Client,
  alg: SigningAlg,
  claims: Record<string, unknown>,
): Promise<string> {
  return signJwt(keys, alg, ID_TOKEN, undefined, { ...claims, iss: issuer, aud: clientIdOf(client) });
}

/** RFC 9701 5: sub and exp are only inside the nested object. */
export function signIntrospection(
  keys: SigningKeys,
  issuer: string,
  client: Client,
  introspected: Record<string, unknown>,
): Promise<string> {
  const claims = { iss: issuer, aud: clientIdOf(client), token_introspection: introspected };
  return signJwt(keys, client.introspectionAlg || client.idTokenAlg, INTROSPECTION_TYPE, undefined, claims);
}
