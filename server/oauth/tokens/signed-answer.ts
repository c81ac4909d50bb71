import { type Client, clientIdOf } from "../clients/store.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { ID_TOKEN, signJwt } from "./jwt.ts";

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
