import { originOf, recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/connection.ts";
import type { TenantId } from "../tenants/index.ts";
import type { Cookies } from "./cookies.ts";
import { digestOf, newOpaqueValue } from "./opaque.ts";
import { deleteSession, findSession, insertSession, touchSession } from "./store.ts";

/** Seconds without a request after which a session ends. */
const IDLE_LIFETIME = 8 * 3600;
/** Seconds after which a session ends in any case. */
const ABSOLUTE_LIFETIME = 7 * 24 * 3600;
/** Seconds between notes of when a session was last seen. */
const TOUCH_INTERVAL = 60;
/** Characters kept of what the browser calls itself. */
const USER_AGENT_LIMIT = 300;

/** A browser in which a user has signed in. */
export interface Session {
  /** The `sid` of OpenID Connect; not the cookie. */
  id: string;
  tenantId: TenantId;
  userId: number;
  username: string;
  name: string;
  authTime: Date;
  /** How the user was authenticated (RFC 8176). */
  amr: string[];
  acr: string;
}

/** How a user has just been authenticated. */
export interface Authentication {
  tenantId: TenantId;
  /** The application that the user signs in for. */
  clientId?: string;
  userId: number;
  amr: string[];
  acr: string;
}

/** Who asks, as far as the connection tells. */
export interface Caller {
  address: string;
  userAgent: string;
}

export interface Sessions {
  find(request: Request): Promise<Session | undefined>;
  /**
   * Begins a session and ends the one the browser had: no cookie from before a sign-in is good after it. With it the
   * audit log has the sign-in.
   * @returns the Set-Cookie value
   */
  begin(request: Request, authentication: Authentication, caller: Caller): Promise<string>;
  /** @returns the Set-Cookie value */
  end(request: Request, session: Session): Promise<string>;
}

export function createSessions(sql: Sql, cookies: Cookies): Sessions {
  return {
    async find(request) {
      const value = cookies.read(request, "session");
      if (value === undefined) return undefined;
      const found = await findSession(sql, digestOf(value), IDLE_LIFETIME);
      if (!found) return undefined;
      const { lastSeen, ...session } = found;
      if (Date.now() - lastSeen.getTime() > TOUCH_INTERVAL * 1_000)
        await touchSession(sql, session.tenantId, session.id);
      return session;
    },
    async begin(request, authentication, caller) {
      const value = newOpaqueValue();
      const former = cookies.read(request, "session");
      const { tenantId, clientId, userId, amr, acr } = authentication;
      const user = { type: "User", id: userId } as const;
      await sql.begin(async (tx) => {
        await insertSession(tx, tenantId, {
          ...authentication,
          id: Bun.randomUUIDv7(),
          digest: digestOf(value),
          replaces: former === undefined ? undefined : digestOf(former),
          lifetime: ABSOLUTE_LIFETIME,
          address: caller.address,
          userAgent: caller.userAgent.slice(0, USER_AGENT_LIMIT),
        });
        const origin = originOf(request, { actor: user, clientId });
        const details = { Amr: amr, Acr: acr };
        await recordAudit(tx, tenantId, origin, { kind: "SignIn.Succeeded", subject: user, details });
      });
      return cookies.set("session", value);
    },
    async end(request, { tenantId, id, userId }) {
      const user = { type: "User", id: userId } as const;
      await sql.begin(async (tx) => {
        if (!(await deleteSession(tx, tenantId, id))) return;
        await recordAudit(tx, tenantId, originOf(request, { actor: user }), { kind: "SignOut", subject: user });
      });
      return cookies.clear("session");
    },
  };
}
