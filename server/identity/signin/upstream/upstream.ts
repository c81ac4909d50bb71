// Signing in at a provider, composed from its parts.

import type { Logger } from "pino";
import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import type { EgressFetch } from "../../../platform/egress/index.ts";
import { TooManyRequests } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import type { Cookies } from "../cookies.ts";
import type { Session } from "../session.ts";
import { isSession } from "../store.ts";
import { accountOf, type LinkedBy, linkAccount, type ProviderAccount } from "./accounts.ts";
import { authorityOf, publishedKey } from "./configuration.ts";
import { UpstreamFailure } from "./failure.ts";
import type { UpstreamIdentity } from "./identity.ts";
import { type AuthorizationWish, type Checks, createProtocol, type Protocol } from "./protocol.ts";
import type { Provider } from "./providers/contract.ts";
import { findClientKey, findProvider, listActiveProviders } from "./providers/store.ts";
import { type Attempts, createAttempts, type PendingLink } from "./round-trips.ts";
import { deleteAttempt, findLinkedUser, holdAttempt, type RoundTrip } from "./store.ts";

function requireActive({ isActive }: Provider): void {
  if (!isActive) throw new UpstreamFailure("switched-off", "it is inactive");
}

const MAX_OFFERED = 20;
/** Marks the target of a sign-out; an authorization request never starts like this. */
const SIGN_OUT = "signed out: ";
const NOT_SIGNED_OUT = "a user could not be redirected to an identity provider for sign-out";

export interface UpstreamDependencies {
  sql: Sql;
  vault: Vault;
  fetch: EgressFetch;
  cookies: Cookies;
  publicUrl: string;
  log: Logger;
}

export type OfferedProvider = Pick<Provider, "id" | "name" | "type">;

/** Plain OAuth 2.0 can neither demand re-authentication nor report its time. */
export function canSignInAnew({ type }: Pick<Provider, "type">): boolean {
  return type === "OpenIDConnect";
}

export interface Upstream extends Pick<Attempts, "take" | "pending" | "proceed"> {
  offered(tenantId: TenantId): Promise<OfferedProvider[]>;
  find(tenantId: TenantId, id: number): Promise<Provider | undefined>;
  /** @param target the authorization request to continue, as path and query @throws UpstreamFailure */
  begin(
    request: Request,
    tenantId: TenantId,
    provider: Provider,
    wish: AuthorizationWish & { target: string },
  ): Promise<{ location: string; cookies: string[] }>;
  /** As in Protocol. */
  carriedName: Protocol["carriedName"];
  /** @throws UpstreamFailure, also if the provider was deleted, deactivated or reconfigured meanwhile */
  identify(provider: Provider, attempt: RoundTrip, checks: Checks, query: string): Promise<UpstreamIdentity>;
  /** Undefined if none is wanted or reachable. @param hint the sealed id_token @param destination after the sign-out */
  signOut(
    request: Request,
    session: Pick<Session, "tenantId" | "identityProviderId">,
    hint: Uint8Array | null,
    destination: string | undefined,
  ): Promise<{ name: string; location: string; cookies: string[] } | undefined>;
  /** The next page after signing out at the provider; undefined if the state is unknown or has no destination. */
  signedOut(request: Request, providerId: number, state: string): Promise<string | undefined>;
  /** The public part of the key that authenticates this client to the provider. */
  publishedKey(providerId: number): Promise<object | undefined>;
  accountOf(tenantId: TenantId, provider: Provider, identity: UpstreamIdentity, by: LinkedBy): Promise<ProviderAccount>;
  ownerOf(tenantId: TenantId, provider: Provider, identity: UpstreamIdentity): Promise<number | undefined>;
  /** Links the session's user. @returns false if it is already linked or the session has ended */
  link(pending: PendingLink, session: Pick<Session, "id" | "userId">, by: LinkedBy): Promise<boolean>;
  /** Links at once, or after the second factor if that is given in time. @returns false if it is already linked */
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
      // After the attempt is used up, because failures from here on are audited as its outcome.
      requireActive(provider);
      return {
        location: await protocol.authorizationUrl(tenantId, provider, checks, { maxAge, loginHint }),
        cookies: set,
      };
    },
    carriedName: protocol.carriedName,
    async identify(provider, { digest, tenantId, maxAge, age }, checks, query) {
      requireActive(provider);
      const wish = { maxAge: maxAge ?? undefined };
      const identity = await protocol.identify(tenantId, provider, checks, query, wish, age);
      // The user has signed in at the provider, so the attempt no longer counts as unfinished.
      await deleteAttempt(sql, tenantId, digest);
      const now = await findProvider(sql, tenantId, provider.id);
      if (!now?.isActive) throw new UpstreamFailure("switched-off", "it was deactivated or deleted in between");
      if (authorityOf(now) === identity.authority) return identity;
      throw new UpstreamFailure("misconfigured", "its issuer was changed in between");
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
        // The local sign-out must succeed even if the provider fails or too many attempts are open.
        if (!(error instanceof UpstreamFailure || error instanceof TooManyRequests)) throw error;
        log.warn({ tenantId, providerId: provider.id, reason: error.message }, NOT_SIGNED_OUT);
        return undefined;
      }
    },
    async signedOut(request, providerId, state) {
      const attempt = (await attempts.take(request, providerId, state))?.attempt;
      if (!attempt?.target.startsWith(SIGN_OUT)) return undefined;
      // The attempt is complete and no longer counts as unfinished.
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
