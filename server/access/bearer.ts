import { Permission, Unauthorized } from "../errors.ts";
import type { TenantId } from "../tenants/index.ts";
import type { Scope } from "./scopes.ts";

/** Who calls, as its access token says. */
export interface Caller {
  tenantId: TenantId;
  clientId: string;
  /** Who stands in CreatedBy and ModifiedBy. */
  actor: { type: "Application" | "User"; id: number };
  scopes: ReadonlySet<string>;
}

/** Verifies an access token; undefined if it is not ours, expired or malformed. */
export type VerifyAccessToken = (token: string) => Promise<Caller | undefined>;
export type Authenticate = (request: Request) => Promise<Caller>;

/** @returns reads `Authorization: Bearer` (RFC 6750 2.1) and throws Unauthorized without a good token */
export function createAuthenticate(verify: VerifyAccessToken): Authenticate {
  return async (request) => {
    const header = request.headers.get("authorization");
    if (header === null) {
      throw new Unauthorized("Send an access token as Authorization: Bearer <ACCESS_TOKEN>.", "Bearer");
    }
    const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
    const caller = token === undefined ? undefined : await verify(token);
    if (caller === undefined) {
      throw new Unauthorized(
        "The access token is expired or invalid. Ask the token endpoint for a new one.",
        'Bearer error="invalid_token"',
      );
    }
    return caller;
  };
}

/** @throws Permission naming what is missing (RFC 6750 3.1) */
export function requireScopes(caller: Caller, ...scopes: Scope[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length === 0) return;
  throw new Permission(
    `The access token lacks the scope ${missing.join(" ")}.`,
    `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"`,
  );
}
