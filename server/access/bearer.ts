import { Permission, Unauthorized } from "../errors.ts";
import { contextOf } from "../http/context.ts";
import { userAgentOf } from "../http/request.ts";
import type { TenantId } from "../tenant-id.ts";
import type { Admitted, Call } from "./access.ts";
import type { Scope } from "./scopes.ts";

/** Who stands in CreatedBy and ModifiedBy. */
export interface Actor {
  type: "Application" | "User";
  id: number;
}

/** What an access token says. */
export interface Bearer {
  tenantId: TenantId;
  clientId: string;
  actor: Actor;
  scopes: ReadonlySet<string>;
}

/** Who calls, from where and when, what policies let it do, and what they let it see. */
export interface Caller extends Call, Admitted {
  /** What it calls itself. */
  userAgent: string;
  /** W3C Trace Context of the request's own span. */
  traceParent: string | undefined;
}

declare const permitted: unique symbol;

/** A caller whose token carries these scopes; `permit` alone says so, so that no service is called without them. */
export type Permitted<S extends Scope> = Caller & { readonly [permitted]: { readonly [K in S]: true } };

/** Verifies an access token; undefined if it is not ours, expired or malformed. */
export type VerifyAccessToken = (token: string) => Promise<Bearer | undefined>;
export type Authenticate = (request: Request) => Promise<Caller>;

/** @returns reads `Authorization: Bearer` (RFC 6750 2.1) and throws Unauthorized without a good token */
export function createAuthenticate(verify: VerifyAccessToken, admit: (call: Call) => Promise<Admitted>): Authenticate {
  return async (request) => {
    const header = request.headers.get("authorization");
    if (header === null) {
      throw new Unauthorized("Send an access token as Authorization: Bearer <ACCESS_TOKEN>.", "Bearer");
    }
    // Another scheme is no authentication here, and so has no error code (RFC 6750 3.1).
    if (!/^bearer( |$)/i.test(header)) {
      throw new Unauthorized(
        "The API takes no other Authorization than Bearer <ACCESS_TOKEN>. The token endpoint gives the token.",
        "Bearer",
      );
    }
    const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
    const bearer = token === undefined ? undefined : await verify(token);
    if (bearer === undefined) {
      throw new Unauthorized(
        "The access token is expired or invalid. Ask the token endpoint for a new one.",
        'Bearer error="invalid_token"',
      );
    }
    const { key, address, traceParent } = contextOf(request);
    const call = { ...bearer, requestKey: key, address, time: new Date() };
    return {
      ...call,
      userAgent: userAgentOf(request),
      traceParent,
      ...(await admit(call)),
    };
  };
}

/** @throws Permission naming what is missing (RFC 6750 3.1) */
function requireScopes(caller: Bearer, ...scopes: Scope[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length === 0) return;
  throw new Permission(
    `The access token lacks the scope ${missing.join(" ")}.`,
    `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"`,
  );
}

/** @throws Permission naming what is missing */
export function permit<S extends Scope>(caller: Caller, scopes: readonly S[]): Permitted<S> {
  requireScopes(caller, ...scopes);
  return caller as Permitted<S>;
}
