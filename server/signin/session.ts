// What a sign-in in a browser is, once it is there.

import type { Transaction } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";

/** How sure a session is of its user, as the id_token says it: by one factor, or by two. */
export const ACR = { oneFactor: "1", twoFactors: "2" } as const;

/** A browser in which a user has signed in. */
export interface Session {
  /** The `sid` of OpenID Connect; not the cookie. */
  id: string;
  tenantId: TenantId;
  userId: number;
  username: string;
  name: string;
  tenantName: string;
  authTime: Date;
  /** When the browser came by it; authTime may be long before, at a provider. */
  begunOn: Date;
  /** Seconds since then, by PostgreSQL's clock. */
  age: number;
  /** False: it is when a provider has sent the user, who may have signed in there long before. */
  isAuthTimeKnown: boolean;
  /** How the user was authenticated (RFC 8176). */
  amr: string[];
  acr: string;
  /** The provider that has authenticated the user; null: we have. */
  identityProviderId: number | null;
  hasSecondFactor: boolean;
  /** The user has given one factor and needs two: good for nothing but giving the other. */
  isUnfinished: boolean;
}

/** How a user has just been authenticated. */
export interface Authentication {
  tenantId: TenantId;
  /** The application that the user signs in for. */
  clientId?: string;
  userId: number;
  amr: string[];
  acr: string;
  /** The provider that has done it; undefined: we have. */
  identityProviderId?: number;
  /** Of its id_token, if it is to be signed out of there: sealed, in base64url. */
  idTokenHint?: string;
  /** When, if not just now. */
  authTime?: Date;
  /** False: when it was done is not known. */
  isAuthTimeKnown?: boolean;
  /** The hash by which the password was found right: it has to be the user's still. */
  passwordHash?: string;
}

/** Who asks, as far as the connection tells. */
export interface Caller {
  address: string;
  userAgent: string;
}

/** `cookie` is the Set-Cookie value. */
export type BegunSession = Pick<Session, "id" | "isUnfinished"> & { cookie: string };

export interface Sessions {
  /** @returns undefined also if it is unfinished */
  find(request: Request): Promise<Session | undefined>;
  /** Also one that is unfinished. */
  findStarted(request: Request): Promise<Session | undefined>;
  /**
   * Begins a session and ends the one the browser had: no cookie from before a sign-in is good after it. With it the
   * audit log has the sign-in, unless it is unfinished.
   * @param also what is done with it or not at all
   * @throws Conflict if the password is another by now, or the user deactivated: either ends all that was begun before
   */
  begin(
    request: Request,
    authentication: Authentication,
    caller: Caller,
    also?: (tx: Transaction, session: Pick<Session, "id" | "isUnfinished">) => Promise<void>,
  ): Promise<BegunSession>;
  /**
   * The user has given a second factor: the session goes on under a new cookie, and an account that waited for it is
   * linked.
   * @param methods by which (RFC 8176)
   * @returns the Set-Cookie value
   */
  raise(request: Request, session: Session, methods: string[]): Promise<string>;
  end(request: Request, session: Session): Promise<EndedSession>;
}

/** `cookie` is the Set-Cookie value. */
export interface EndedSession {
  cookie: string;
  /** The provider's id_token, sealed, if it was kept. */
  idTokenHint: Uint8Array | null;
}
