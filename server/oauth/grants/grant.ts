// What a grant is. One grant is one file and one line in index.ts.

import { grantedScopes, ScopeNotGranted } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { printable } from "../../http/body.ts";
import type { Client } from "../clients/store.ts";
import type { TOKEN_REQUEST, TokenResponse } from "../contract.ts";
import type { Sent } from "../declared.ts";
import { type Door, IGNORED_SCOPES } from "../door.ts";
import { TokenError } from "../endpoint.ts";
import type { Families } from "../tokens/families.ts";
import type { Tokens } from "../tokens/tokens.ts";

export interface GrantRequest {
  request: Request;
  /** Authenticated, and allowed to use this grant. */
  client: Client;
  form: Sent<typeof TOKEN_REQUEST>;
  door: Door;
  sql: Sql;
  tokens: Tokens;
  families: Families;
}

/** @throws TokenError */
export type Grant = (request: GrantRequest) => Promise<TokenResponse>;

/**
 * The scopes asked for, of those that may be had: what scopes.ts says.
 * @throws TokenError invalid_scope
 */
export function requestedScopes(door: Door, requested: string | undefined, owned: string[]): string[] {
  try {
    return grantedScopes(requested, owned, IGNORED_SCOPES[door]);
  } catch (error) {
    if (!(error instanceof ScopeNotGranted)) throw error;
    const missing = printable(error.scopes.join(" "));
    throw new TokenError("invalid_scope", `The client does not have the scope ${missing}. Ask for fewer, or for *.`);
  }
}
