import { Permission } from "../../../platform/errors.ts";
import { printable } from "../../../platform/http/body.ts";
import { contextOf } from "../../../platform/http/context.ts";
import { EXCHANGE, recordAudit } from "../../../records/index.ts";
import { accessTokenClaims } from "../claims.ts";
import { originOfClient } from "../clients/client-authentication.ts";
import { TOKEN_TYPES } from "../contract.ts";
import { IGNORED_SCOPES, RFC_TOKEN_PATH } from "../door.ts";
import { requireField } from "../endpoint.ts";
import { TokenError } from "../errors.ts";
import {
  apiOfAudience,
  askableWith,
  carriedScopes,
  ENTITY_API,
  resourceImplied,
  resourceNamed,
  type Target,
  targetOf,
} from "../resources.ts";
import { grantedScopes, ScopeNotGranted } from "../scope-parameter.ts";
import { askableScopes, common, without } from "../scopes.ts";
import type { AccessTokenClaims, Acting, ReadAccessToken } from "../tokens/access-token.ts";
import type { ForExchange } from "../tokens/live.store.ts";
import { subjectFor } from "../tokens/subjects.ts";
import { requireKey } from "./bound.ts";
import type { GrantRequest, Issued } from "./grant.ts";

const MAX_ACTORS = 3;

type UserToken = ReadAccessToken & { userId: number; ofRoles: string[]; forExchange: ForExchange };

/**
 * RFC 8693: the new token is limited to the access of the user and the client, ends with the original grant, and must
 * be permitted by policies for the client and the actor.
 */
export async function tokenExchange(request: GrantRequest): Promise<Issued> {
  const { client, door, form, sql, tokens } = request;
  // The spec door has no codes for these errors.
  if (door === "spec")
    throw new TokenError(
      "unsupported_grant_type",
      `This address does not offer token exchange. Send the request to ${RFC_TOKEN_PATH}.`,
    );
  if (client.clientType !== "confidential") {
    throw new TokenError("unauthorized_client", "Only a confidential client can exchange tokens.");
  }
  requireTypes(form);
  const subject = await subjectOf(request);
  const actor = form.actor_token ? await actorOf(request, form.actor_token) : undefined;
  const { claims } = subject;
  const act = actor ? actedBy(actor.claims, claims.act) : claims.act;
  const target = targetAsked(request, claims.aud);
  const ceiling = ceilingOf(request, subject);
  const ofTarget = askableWith(request.allApis, [target?.id ?? ENTITY_API], ceiling);
  const granted = scopesOf(request.form, target, ofTarget);
  const scopes = carriedScopes(target, granted);
  const audience = target?.audience ?? tokens.issuer;
  await requirePermitted(request, { subject, actor, audience, scopes });

  const { userId } = subject;
  const origin = { ...originOfClient(request.request, client), personalKey: subject.forExchange.personalKey };
  await recordAudit(sql, client.tenantId, origin, {
    kind: "Token.Exchanged",
    subject: { type: "User", id: userId },
    details: { Audience: audience, Scopes: scopes, From: claims.client_id, ...(act && { ActedBy: act.sub }) },
  });
  const ends = Math.min(claims.exp, actor?.claims.exp ?? claims.exp);
  const lifetime = Math.max(1, Math.min(tokens.lifetimeOf(client, target), ends - Math.floor(Date.now() / 1000)));
  const accessToken = await tokens.issueAccessToken(client, {
    scopes,
    target,
    familyId: claims.grant_id,
    act,
    lifetime,
    exchangeScopes: without(ceiling, ofTarget),
    claims: await accessTokenClaims(sql, client, target, { userId, scopes: granted }),
    user: { id: userId, authTime: claims.auth_time ?? claims.iat, acr: claims.acr, amr: claims.amr },
  });
  return {
    expires_in: lifetime,
    access_token: accessToken,
    issued_token_type: TOKEN_TYPES[0],
    scope: scopes.join(" "),
  };
}

/** RFC 8693 2.2.2: every problem with the sent tokens is this error. */
const invalid = (description: string) => new TokenError("invalid_request", description);

function requireTypes(form: GrantRequest["form"]): void {
  requireField(form, "subject_token");
  requireField(form, "subject_token_type");
  const types: readonly string[] = TOKEN_TYPES;
  for (const name of ["subject_token_type", "actor_token_type", "requested_token_type"] as const) {
    const type = form[name];
    if (type && !types.includes(type)) throw invalid(`${name} must be ${types.join(" or ")}.`);
  }
  if (!form.actor_token !== !form.actor_token_type)
    throw invalid("actor_token and actor_token_type must be sent together.");
}

async function read({ client, tokens }: GrantRequest, name: string, token: string): Promise<ReadAccessToken> {
  const found = await tokens.readExchangeableToken(token);
  if (found?.claims.tenant === client.tenantId) return found;
  throw invalid(`${name} is not a valid access token of this service.`);
}

/**
 * A token of the client itself, or one that was sent to the client's API. The API has checked the latter's proof, so
 * only the token's own client must prove the bound key.
 */
async function subjectOf(request: GrantRequest): Promise<UserToken> {
  const { client, form, jkt, allApis } = request;
  const subject = await read(request, "subject_token", form.subject_token!);
  if (!isOfUser(subject)) throw invalid("subject_token belongs to a client, not to a user.");
  const { aud, sub, client_id } = subject.claims;
  if (client_id === String(client.id)) requireOwnKey(subject.claims, jkt, "subject_token");
  else if (apiOfAudience(allApis, aud)?.applicationId !== client.id) {
    throw invalid("subject_token was issued to another client, and not for an API whose ApplicationId is this client.");
  }
  // Otherwise a client would learn a user's subject in a different sector (OIDC Core 8.1).
  if (subjectFor(client, subject.userId) !== sub) {
    throw invalid("subject_token names its user by a pairwise subject of another sector.");
  }
  return subject;
}

const isOfUser = (token: ReadAccessToken): token is UserToken =>
  token.userId !== undefined && token.ofRoles !== null && token.forExchange !== undefined;

/** The actor's token must be issued to this client. */
async function actorOf(request: GrantRequest, token: string): Promise<ReadAccessToken> {
  const actor = await read(request, "actor_token", token);
  if (actor.claims.client_id !== String(request.client.id)) throw invalid("actor_token was issued to another client.");
  if (actor.claims.act)
    throw invalid("actor_token has the claim act. Send an access token that was issued without an actor.");
  requireOwnKey(actor.claims, request.jkt, "actor_token");
  return actor;
}

function requireOwnKey({ cnf }: AccessTokenClaims, jkt: string | undefined, what: string): void {
  try {
    requireKey(cnf?.jkt ?? null, jkt, what);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

/** RFC 8693 4.1: the latest actor is outermost. */
function actedBy({ sub, client_id }: AccessTokenClaims, before: Acting | undefined): Acting {
  const act = { sub, client_id, ...(before && { act: before }) };
  let acting = 0;
  for (let one: Acting | undefined = act; one; one = one.act) acting++;
  if (acting > MAX_ACTORS)
    throw invalid(`At most ${MAX_ACTORS} actors can be nested in a token. Exchange a token with fewer.`);
  return act;
}

/** Default: by the scopes, or the original token's target. @throws InvalidTarget, TokenError invalid_target */
function targetAsked({ apis, form, resource, tokens }: GrantRequest, aud: string): Target {
  const asked = resource ?? resourceImplied(apis, form.scope) ?? resourceNamed(apis, tokens.issuer, aud);
  return targetOf(apis, [asked], asked);
}

/**
 * The maximum scopes of this exchange and its successors, for all audiences. For the first token's audience these are
 * its scopes; for other audiences of its grant, the granted scopes; elsewhere, the scopes of the first exchanger and
 * the user; after the grant has ended, none. Each exchange removes scopes that its client lacks or omits.
 */
function ceilingOf({ client, allApis, tokens }: GrantRequest, subject: UserToken): string[] {
  const { aud, scope, exchange_scope: carried } = subject.claims;
  const { grant } = subject.forExchange;
  const before = scope.split(" ");
  const own = askableScopes(client, subject.ofRoles);
  const named = aud === tokens.issuer ? ENTITY_API : apiOfAudience(allApis, aud)?.id;
  const ofAudience = askableWith(allApis, named === undefined ? [] : [named], own);
  const elsewhere = without(own, ofAudience);
  const here = common(ofAudience, before);
  if (carried !== undefined) return [...here, ...common(elsewhere, carried.split(" "))];
  if (!grant) return here;
  const ungranted = without(askableWith(allApis, grant.resources, elsewhere), grant.scopes);
  return [...here, ...without(elsewhere, ungranted)];
}

/** @param max the part of the ceiling for the target @throws TokenError invalid_scope */
function scopesOf({ scope }: GrantRequest["form"], target: Target, max: string[]): string[] {
  try {
    const granted = scope?.trim() ? grantedScopes(scope, max, [], IGNORED_SCOPES.rfc) : max;
    if (carriedScopes(target, granted).length > 0) return granted;
    throw new TokenError("invalid_scope", `The token would have no scope. ${WHO_GIVES}`);
  } catch (error) {
    if (!(error instanceof ScopeNotGranted)) throw error;
    const missing = printable(error.scopes.join(" "));
    throw new TokenError("invalid_scope", `The token cannot have the scope ${missing}. ${WHO_GIVES}`);
  }
}

const WHO_GIVES =
  "The client, the user and the subject_token must have it. Exchanged tokens never have more scopes " +
  "than the first token, its grant and the clients in between.";

interface Asked {
  subject: UserToken;
  actor: ReadAccessToken | undefined;
  audience: string;
  scopes: string[];
}

/** Policies must permit the action on the User, for the client and for a different actor. */
async function requirePermitted({ client, request, sql, access }: GrantRequest, asked: Asked): Promise<void> {
  const { subject, actor, audience, scopes } = asked;
  const { tenantId } = client;
  const { key: requestKey, address } = contextOf(request);
  const call = { tenantId, requestKey, address, audience, time: new Date(), scopes: new Set(scopes) };
  let record: Awaited<ReturnType<typeof access.findRecords>>[number] | undefined;
  const users = actor?.userId === undefined ? [] : [{ type: "User", id: actor.userId } as const];
  for (const by of [{ type: "Application", id: client.id } as const, ...users]) {
    const permissions = await access.permissionsOf({ ...call, actor: by });
    // Policies that permit it for all Users need not see this one.
    if (permissions?.reach(EXCHANGE, "User") === "All") continue;
    record ??= (await access.findRecords(sql, tenantId, "User", [String(subject.userId)]))[0];
    if (!record) throw invalid("The user of subject_token no longer exists.");
    try {
      if (!permissions) throw new Permission(`The ${by.type} is no longer active.`);
      permissions.require(EXCHANGE, "User", record);
    } catch (error) {
      if (!(error instanceof Permission)) throw error;
      const who = by.type === "User" ? "the actor" : "the client";
      throw invalid(`It is not permitted to ${who}: ${error.message}`);
    }
  }
}
