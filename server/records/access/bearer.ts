import { Permission, Unauthorized } from "../../platform/errors.ts";
import { contextOf } from "../../platform/http/context.ts";
import { userAgentOf } from "../../platform/http/request.ts";
import type { Bearer, Call } from "./caller.ts";
import type { Admitted } from "./gate/gate.ts";
import type { Scope } from "./scopes.ts";

export interface PresentedToken {
  scheme: "Bearer" | "DPoP";
  token: string;
}

export interface Caller extends Call, Admitted {
  userAgent: string;
  traceParent: string | undefined;
  /** The present state, for each part of a long-running response. @throws Unauthorized if it may no longer call */
  again(): Promise<Caller>;
}

declare const permitted: unique symbol;

/** A caller with these scopes. Only `permit` creates the type, so services cannot be called without the scopes. */
export type Permitted<S extends Scope> = Caller & { readonly [permitted]: { readonly [K in S]: true } };

/** Verifies an access token; undefined if it is not ours, expired or malformed. */
export type VerifyAccessToken = (token: string) => Promise<Bearer | undefined>;
type BoundBearer = Pick<Bearer, "tenantId" | "clientId" | "jkt">;
/** Checks the proof of a token that is bound to a key or sent as bound. @throws Unauthorized */
export type CheckPossession = (request: Request, presented: PresentedToken, bearer: BoundBearer) => Promise<void>;
export type Authenticate = (request: Request) => Promise<Caller>;

/** @returns undefined for a different scheme or a missing token (RFC 6750 2.1, RFC 9449 7.1) */
export function presentedToken(header: string): PresentedToken | undefined {
  const [, scheme, token] = /^(bearer|dpop) +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  return token === undefined ? undefined : { scheme: scheme?.toLowerCase() === "dpop" ? "DPoP" : "Bearer", token };
}

export async function requirePossession(
  check: CheckPossession,
  request: Request,
  presented: PresentedToken,
  bearer: BoundBearer,
): Promise<void> {
  if (bearer.jkt !== undefined || presented.scheme === "DPoP") await check(request, presented, bearer);
}

interface AuthenticateDependencies {
  verify: VerifyAccessToken;
  checkPossession: CheckPossession;
  admit(call: Call): Promise<Admitted>;
}

/** @returns a function that reads `Authorization`, and throws Unauthorized without a valid token */
export function createAuthenticate({ verify, checkPossession, admit }: AuthenticateDependencies): Authenticate {
  return async (request) => {
    const header = request.headers.get("authorization");
    if (header === null) {
      throw new Unauthorized("Send an access token as Authorization: Bearer <ACCESS_TOKEN>.", "Bearer");
    }
    // A different scheme is not authentication here, so there is no error code (RFC 6750 3.1).
    if (!/^(bearer|dpop)( |$)/i.test(header)) {
      throw new Unauthorized(
        "The API accepts only Authorization: Bearer <ACCESS_TOKEN>, or DPoP. The token endpoint issues the token.",
        "Bearer",
      );
    }
    const presented = presentedToken(header);
    const bearerNow = async () => {
      const bearer = presented && (await verify(presented.token));
      if (bearer) return bearer;
      throw new Unauthorized(
        "The access token is expired or invalid. Request a new one at the token endpoint.",
        `${/^dpop/i.test(header) ? "DPoP" : "Bearer"} error="invalid_token"`,
      );
    };
    const bearer = await bearerNow();
    await requirePossession(checkPossession, request, presented!, bearer);
    return callerOf(request, admit, bearer, bearerNow);
  };
}

/** @param now the bearer's present state */
export async function callerOf(
  request: Request,
  admit: AuthenticateDependencies["admit"],
  bearer: Bearer,
  now: () => Promise<Bearer>,
): Promise<Caller> {
  const { key, address, traceParent } = contextOf(request);
  const call = { ...bearer, requestKey: key, traceParent, address, time: new Date() };
  const again = async () => callerOf(request, admit, await now(), now);
  return { ...call, userAgent: userAgentOf(request), again, ...(await admit(call)) };
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
