import type { PendingQuery, Row } from "postgres";
import type { Queries, Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

/** The authentication context class in the id_token: one factor or two. */
export const ACR = { oneFactor: "1", twoFactors: "2" } as const;

export interface Session {
  /** The `sid` of OpenID Connect; not the cookie's value. */
  id: string;
  tenantId: TenantId;
  userId: number;
  username: string;
  name: string;
  /** The person's language, a BCP 47 tag; null: unknown. */
  locale: string | null;
  tenantName: string;
  authTime: Date;
  /** When this browser's session began; authTime may be much earlier, at a provider. */
  begunOn: Date;
  /** The user may still be signing in. By PostgreSQL's clock, like `age`. */
  hasJustBegun: boolean;
  /** Seconds since authTime. */
  age: number;
  /** False: authTime is when the provider returned the user, who may have signed in there much earlier. */
  isAuthTimeKnown: boolean;
  /** Authentication methods (RFC 8176). */
  amr: string[];
  acr: string;
  /** The provider that authenticated the user; null: this service did. */
  identityProviderId: number | null;
  /** An authenticator app. */
  hasSecondFactor: boolean;
  hasPasskey: boolean;
  /** By the tenant's rule: a passkey to use or to add before anything else, or one to offer; null: none. */
  passkeyDue: "use" | "add" | "offer" | null;
  /** It outlives the browser. null: the user has not been asked yet. */
  isKept: boolean | null;
  /** Until it ends in any case. */
  secondsLeft: number;
  /** The user has not given all that is required: the session can only be used to give the rest. */
  isUnfinished: boolean;
}

export interface Authentication {
  tenantId: TenantId;
  clientId?: string;
  userId: number;
  amr: string[];
  acr: string;
  /** The provider that authenticated the user; undefined: this service did. */
  identityProviderId?: number;
  /** The provider's id_token, sealed, in base64url; kept only for signing out there. */
  idTokenHint?: string;
  /** Default: now. */
  authTime?: Date;
  isAuthTimeKnown?: boolean;
  /** Whether the user wants to stay signed in; undefined: not asked. */
  keep?: boolean;
  /** The hash that the password matched. It must still be the user's current one. */
  passwordHash?: string;
  /** The passkey with which the user signs in. It must not have been removed. */
  passkeyId?: string;
  /** The account at a provider with which the user signs in. It must still be linked. */
  identity?: { providerId: number; authority: string; subject: string };
}

/** The request's origin, as seen on the connection. */
export interface Visitor {
  address: string;
  userAgent: string;
}

/** `cookie` is the Set-Cookie value. */
export type BegunSession = Pick<Session, "id" | "isUnfinished"> & { cookie: string };

export interface Sessions {
  /** @returns undefined for an unfinished session, too */
  find(request: Request): Promise<Session | undefined>;
  /** Also finds an unfinished session. @param more further columns of the session's row `s`, after a comma */
  findStarted<More extends object = object>(
    request: Request,
    more?: (sql: Queries) => PendingQuery<Row[]>,
  ): Promise<(Session & More) | undefined>;
  /**
   * Begins a session and ends the browser's previous one, so a cookie from before a sign-in is never valid after it.
   * Writes the sign-in to the audit log in the same transaction, unless the session is unfinished.
   * @param also runs in the same transaction
   * @throws Conflict if the password changed, the passkey or the linked account was removed, or the user was deactivated:
   * these end earlier sessions
   */
  begin(
    request: Request,
    authentication: Authentication,
    visitor: Visitor,
    also?: (tx: Transaction, session: Pick<Session, "id" | "isUnfinished">) => Promise<void>,
  ): Promise<BegunSession>;
  /**
   * Continues under a new cookie after a second factor, and links a provider account that waited for it.
   * @param methods the factor's (RFC 8176) @param passkeyId of the passkey that was used @returns the Set-Cookie value
   */
  raise(request: Request, session: Session, methods: string[], passkeyId?: string): Promise<string>;
  /** Stores whether the user wants to stay signed in. @returns the Set-Cookie value */
  keep(request: Request, session: Session, isKept: boolean): Promise<string>;
  end(request: Request, session: Session): Promise<EndedSession>;
}

export interface EndedSession {
  cookie: string;
  /** The provider's sealed id_token, if it was kept. */
  idTokenHint: Uint8Array | null;
}
