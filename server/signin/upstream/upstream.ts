// Signing in by a provider, put together from its parts.

import type { Logger } from "pino";
import type { Sql, Transaction } from "../../db/sql.ts";
import type { EgressFetch } from "../../egress/index.ts";
import { TooManyRequests } from "../../errors.ts";
import type { TenantId } from "../../ids.ts";
import type { Vault } from "../../vault.ts";
import type { Cookies } from "../cookies.ts";
import type { Session } from "../session.ts";
import { isSession } from "../store.ts";
import { type Account, accountOf, type LinkedBy, linkAccount } from "./accounts.ts";
import { authorityOf, publishedKey } from "./configuration.ts";
import { UpstreamFailure } from "./failure.ts";
import type { UpstreamIdentity } from "./identity.ts";
import { type AuthorizationWish, type Checks, createProtocol } from "./protocol.ts";
import { findClientKey, findProvider, listActiveProviders, type Provider } from "./providers/store.ts";
import { type Attempts, createAttempts, type PendingLink } from "./round-trips.ts";
import { type Attempt, deleteAttempt, findLinkedUser, holdAttempt } from "./store.ts";

/** @throws UpstreamFailure */
function requireActive({ isActive }: Provider): void {
  if (!isActive) throw new UpstreamFailure("switched-off", "it is switched off");
}

/** The sign-in page has room for so many. */
const MAX_OFFERED = 20;
/** What the target of a way to a provider begins with that is one out: no authorization request begins so. */
const SIGN_OUT = "signed out: ";
const NOT_SIGNED_OUT = "a user could not be sent to an identity provider to sign out";

export interface UpstreamDependencies {
  sql: Sql;
  vault: Vault;
  fetch: EgressFetch;
  cookies: Cookies;
  publicUrl: string;
  log: Logger;
}

/** One who can be signed in with, as the sign-in page needs it. */
export type OfferedProvider = Pick<Provider, "id" | "name" | "type">;

/** Plain OAuth 2.0 has no word for it, nor one for when a user has signed in. */
export function canSignInAnew({ type }: Pick<Provider, "type">): boolean {
  return type === "OpenIDConnect";
}

export interface Upstream extends Pick<Attempts, "take" | "pending" | "proceed"> {
  offered(tenantId: TenantId): Promise<OfferedProvider[]>;
  find(tenantId: TenantId, id: number): Promise<Provider | undefined>;
  /**
   * @param target the authorization request to go on with, as path and query
   * @returns where to send the browser, and the Set-Cookie values
   * @throws UpstreamFailure
   */
  begin(
    request: Request,
    tenantId: TenantId,
    provider: Provider,
    wish: AuthorizationWish & { target: string },
  ): Promise<{ location: string; cookies: string[] }>;
  /**
   * Whom the provider has signed in, by the query that the browser came back with.
   * @throws UpstreamFailure also if it was deleted, switched off or pointed elsewhere while it answered
   */
  identify(provider: Provider, attempt: Attempt, checks: Checks, query: string): Promise<UpstreamIdentity>;
  /**
   * Where to send a browser whose session has ended, if its provider wishes for it and can be reached.
   * @param hint the id_token of the sign-in, sealed
   * @param destination where to go on to from there
   */
  signOut(
    request: Request,
    session: Pick<Session, "tenantId" | "identityProviderId">,
    hint: Uint8Array | null,
    destination: string | undefined,
  ): Promise<{ name: string; location: string; cookies: string[] } | undefined>;
  /** Where a browser goes on to that comes back from signing out; undefined: nowhere, or it was not sent there. */
  signedOut(request: Request, providerId: number, state: string): Promise<string | undefined>;
  /** What is public of the key by which we prove ourselves to a provider. */
  publishedKey(providerId: number): Promise<object | undefined>;
  accountOf(tenantId: TenantId, provider: Provider, identity: UpstreamIdentity, by: LinkedBy): Promise<Account>;
  /** Whose account it is linked with, if with any. */
  ownerOf(tenantId: TenantId, provider: Provider, identity: UpstreamIdentity): Promise<number | undefined>;
  /** Links the session's user. @returns false if it was done meanwhile, or the session has ended */
  link(pending: PendingLink, session: Pick<Session, "id" | "userId">, by: LinkedBy): Promise<boolean>;
  /**
   * Links the user of a session that this transaction begins: at once, or once the second factor is given in it, if that
   * is in time.
   * @returns false if it was done meanwhile
   */
  linkAtSignIn(
    tx: Transaction,
    pending: PendingLink,
    session: Pick<Session, "id" | "userId" | "isUnfinished">,
    by: LinkedBy,
  ): Promise<boolean>;
}

export function createUpstream({ sql, vault, fetch, cookies, publicUrl, log }: UpstreamDependencies): Upstream {
  const attempts = createAttempts(sql, cookies);
  const protocol = createProtocol(fetch, vault, publicUrl);
  return {
    take: attempts.take,
    pending: attempts.pending,
    proceed: attempts.proceed,
    offered: (tenantId) => listActiveProviders(sql, tenantId, MAX_OFFERED),
    find: (tenantId, id) => findProvider(sql, tenantId, id),
    async begin(request, tenantId, provider, { target, maxAge, loginHint }) {
      const begun = { providerId: provider.id, target, maxAge };
      const { checks, cookies: set } = await attempts.begin(request, tenantId, begun);
      // Only now: whatever is written down of it counts as one that was begun.
      requireActive(provider);
      return {
        location: await protocol.authorizationUrl(tenantId, provider, checks, { maxAge, loginHint }),
        cookies: set,
      };
    },
    async identify(provider, { digest, tenantId, maxAge, age }, checks, query) {
      requireActive(provider);
      const wish = { maxAge: maxAge ?? undefined };
      const identity = await protocol.identify(tenantId, provider, checks, query, wish, age);
      // Somebody has signed in there: it no longer counts among those that were begun and left.
      await deleteAttempt(sql, tenantId, digest);
      const now = await findProvider(sql, tenantId, provider.id);
      if (!now?.isActive) throw new UpstreamFailure("switched-off", "it was switched off or deleted in between");
      if (authorityOf(now) === identity.authority) return identity;
      throw new UpstreamFailure("misconfigured", "it was pointed elsewhere in between");
    },
    async signOut(request, { tenantId, identityProviderId }, hint, destination = "") {
      const provider = identityProviderId === null ? undefined : await findProvider(sql, tenantId, identityProviderId);
      if (!provider?.signOut || !provider.isActive) return undefined;
      const begun = { providerId: provider.id, target: SIGN_OUT + destination, maxAge: undefined };
      try {
        const { checks, cookies: set } = await attempts.begin(request, tenantId, begun);
        const location = await protocol.signOutUrl(tenantId, provider, checks.state, hint);
        return { name: provider.name, location, cookies: set };
      } catch (error) {
        // The user is signed out here whatever the provider does, and however many are on their way there.
        if (!(error instanceof UpstreamFailure || error instanceof TooManyRequests)) throw error;
        log.warn({ tenantId, providerId: provider.id, reason: error.message }, NOT_SIGNED_OUT);
        return undefined;
      }
    },
    async signedOut(request, providerId, state) {
      const attempt = (await attempts.take(request, providerId, state))?.attempt;
      if (!attempt?.target.startsWith(SIGN_OUT)) return undefined;
      // It is over, and no longer counts among those that were begun and left.
      await deleteAttempt(sql, attempt.tenantId, attempt.digest);
      return attempt.target.slice(SIGN_OUT.length) || undefined;
    },
    async publishedKey(providerId) {
      const sealed = await findClientKey(sql, providerId);
      return sealed && publishedKey(vault, sealed);
    },
    accountOf: (tenantId, provider, identity, by) => accountOf(sql, tenantId, provider, identity, by),
    async ownerOf(tenantId, { id: providerId }, { authority, subject }) {
      return (await findLinkedUser(sql, tenantId, { providerId, authority, subject }))?.userId;
    },
    link(pending, { id, userId }, by) {
      return sql.beginFor(pending.tenantId, async (tx) => {
        if (!(await isSession(tx, pending.tenantId, userId, id))) return false;
        return linkAccount(tx, pending, userId, by);
      }) as Promise<boolean>;
    },
    async linkAtSignIn(tx, pending, { id, userId, isUnfinished }, by) {
      if (isUnfinished) return holdAttempt(tx, pending.tenantId, pending.digest, id);
      return linkAccount(tx, pending, userId, by);
    },
  };
}
