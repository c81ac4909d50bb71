import { type Client, clientIdOf } from "../clients/store.ts";
import type { SigningAlg } from "../keys/rotation.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { ID_TOKEN, signJwt } from "./jwt.ts";

// Answers that are JWTs, signed for the client that gets them.

const INTROSPECTION_TYPE = "token-introspection+jwt";

/** Seconds: the most that JARM 2.1 advises. A form_post answer may wait that long for its button to be pressed. */
const LIFETIME = 600;

/**
 * JARM 2.1. JARM has no `typ` of its own, and some libraries take no other than JWT. No id_token and no access token is
 * like it (RFC 8725 3.12): it has neither sub nor client_id, and `fields` are our own answer's.
 */
export function signAnswer(
  keys: SigningKeys,
  issuer: string,
  client: Client,
  fields: Record<string, string | undefined>,
): Promise<string> {
  return signJwt(keys, client.idTokenAlg, ID_TOKEN, LIFETIME, { ...fields, iss: issuer, aud: clientIdOf(client) });
}

/**
 * OIDC Core 5.3.2: without exp, so that nobody takes it for an id_token, and without client_id, so that it is no access
 * token (RFC 8725 3.12).
 */
export function signUserinfo(
  keys: SigningKeys,
  issuer: string,
  client: Client,
  alg: SigningAlg,
  claims: Record<string, unknown>,
): Promise<string> {
  return signJwt(keys, alg, ID_TOKEN, undefined, { ...claims, iss: issuer, aud: clientIdOf(client) });
}

/** RFC 9701 5: sub and exp stand inside alone. */
export function signIntrospection(
  keys: SigningKeys,
  issuer: string,
  client: Client,
  introspected: Record<string, unknown>,
): Promise<string> {
  const claims = { iss: issuer, aud: clientIdOf(client), token_introspection: introspected };
  return signJwt(keys, client.introspectionAlg || client.idTokenAlg, INTROSPECTION_TYPE, undefined, claims);
}
