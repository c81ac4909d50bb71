import type { PendingQuery, Row } from "postgres";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import type { Details } from "../../platform/http/contract.ts";
import { originOf, recordAudit } from "../../records/index.ts";
import { type Site, texts } from "../../ui/index.ts";
import type { Cookies } from "./cookies.ts";
import { digestOf, newOpaqueValue } from "./opaque.ts";
import { holdPasskey } from "./passkeys/store.ts";
import { ACR, type Authentication, type Session, type Sessions } from "./session.ts";
import {
  deleteSession,
  findSession,
  holdActiveUser,
  holdPasswordHash,
  insertSession,
  keepSession,
  raiseSession,
  replaceSession,
  touchSession,
} from "./store.ts";
import { linkHeldAccount } from "./upstream/accounts.ts";
import { holdIdentity } from "./upstream/store.ts";

/** Seconds after which every session ends. */
const ABSOLUTE_LIFETIME = 7 * 24 * 3600;
/** Minimum seconds between updates of when a session was last seen. */
const TOUCH_INTERVAL = 60;
/** The maximum number of characters that are stored. */
const USER_AGENT_LIMIT = 300;

/** @param site whose pages wear the face of the session's tenant, if no other is known */
export function createSessions(sql: Sql, cookies: Cookies, site: Pick<Site, "wear">): Sessions {
  async function findStarted<More extends object>(
    request: Request,
    more?: (sql: Queries) => PendingQuery<Row[]>,
  ): Promise<(Session & More) | undefined> {
    const value = cookies.read(request, "session");
    if (value === undefined) return undefined;
    const found = await findSession(sql, digestOf(value), TOUCH_INTERVAL, more?.(sql));
    if (!found) return undefined;
    site.wear(found.tenantId);
    const { isSeenLongAgo, needsSecondFactor, tenantPages, ...session } = found;
    texts.learn(request, { own: session.locale ?? undefined, home: tenantPages });
    if (isSeenLongAgo) await touchSession(sql, session.tenantId, session.id);
    const isDue = session.passkeyDue === "use" || session.passkeyDue === "add";
    const isUnfinished = isDue || (needsSecondFactor && session.acr === ACR.oneFactor);
    return { ...session, isUnfinished } as Session & More;
  }

  return {
    async find(request) {
      const session = await findStarted(request);
      return session?.isUnfinished ? undefined : session;
    },
    findStarted,
    async begin(request, authentication, visitor, also) {
      const value = newOpaqueValue();
      const former = cookies.read(request, "session");
      const { passwordHash, idTokenHint, identity, ...authenticated } = authentication;
      const { tenantId, userId, passkeyId } = authenticated;
      const id = Bun.randomUUIDv7();
      const begun = await sql.beginFor(tenantId, async (tx) => {
        if (passwordHash !== undefined && (await holdPasswordHash(tx, tenantId, userId)) !== passwordHash) {
          throw new Conflict(texts.ERRORS.passwordChanged);
        }
        if (!(await holdActiveUser(tx, tenantId, userId))) throw new Conflict(texts.ERRORS.deactivated);
        const isRemoved =
          (passkeyId !== undefined && !(await holdPasskey(tx, tenantId, userId, passkeyId))) ||
          (identity && !(await holdIdentity(tx, tenantId, userId, identity)));
        if (isRemoved) throw new Conflict(texts.ERRORS.wayInRemoved);
        const { isUnfinished, isKept } = await insertSession(tx, tenantId, {
          ...authenticated,
          id,
          idTokenHint: idTokenHint === undefined ? undefined : Buffer.from(idTokenHint, "base64url"),
          digest: digestOf(value),
          lifetime: ABSOLUTE_LIFETIME,
          address: visitor.address,
          userAgent: visitor.userAgent.slice(0, USER_AGENT_LIMIT),
        });
        if (former !== undefined) await replaceSession(tx, tenantId, digestOf(former), { id, userId });
        if (!isUnfinished) await recordSuccess(tx, request, authenticated);
        await also?.(tx, { id, isUnfinished });
        return { isUnfinished, isKept };
      });
      const cookie = cookies.set("session", value, begun.isKept ? ABSOLUTE_LIFETIME : undefined);
      return { id, isUnfinished: begun.isUnfinished, cookie };
    },
    async keep(request, { tenantId, id, secondsLeft }, isKept) {
      await keepSession(sql, tenantId, id, isKept);
      return cookies.set("session", cookies.read(request, "session")!, isKept ? secondsLeft : undefined);
    },
    async raise(request, session, methods, passkeyId) {
      const { tenantId, id, userId, isUnfinished, isKept, secondsLeft } = session;
      const identityProviderId = session.identityProviderId ?? undefined;
      const value = newOpaqueValue();
      // RFC 8176 2: mfa means more than one factor.
      const amr = [...new Set([...session.amr, ...methods, "mfa"])];
      const acr = ACR.twoFactors;
      await sql.beginFor(tenantId, async (tx) => {
        await holdActiveUser(tx, tenantId, userId);
        // The session may have ended while the code was checked.
        const isFinished = await raiseSession(tx, tenantId, id, { digest: digestOf(value), amr, acr, passkeyId });
        if (!isFinished || !isUnfinished) return;
        await recordSuccess(tx, request, { tenantId, userId, amr, acr, identityProviderId });
        await linkHeldAccount(tx, session, (linked) => originOf(request, { actor: { type: "User", id: linked } }));
      });
      return cookies.set("session", value, isKept ? secondsLeft : undefined);
    },
    async end(request, { tenantId, id, userId, isUnfinished }) {
      const user = { type: "User", id: userId } as const;
      const idTokenHint = (await sql.beginFor(tenantId, async (tx) => {
        const deleted = await deleteSession(tx, tenantId, id);
        // Ending an unfinished session is not a sign-out.
        if (deleted && !isUnfinished) {
          await recordAudit(tx, tenantId, originOf(request, { actor: user }), { kind: "SignOut", subject: user });
        }
        return deleted?.idTokenHint ?? null;
      })) as Uint8Array | null;
      return { cookie: cookies.clear("session"), idTokenHint };
    },
  };
}

/** Records the sign-in once every required factor is given. */
function recordSuccess(tx: Queries, request: Request, authentication: Omit<Authentication, "authTime">) {
  const { tenantId, clientId, userId, amr, acr, identityProviderId } = authentication;
  const user = { type: "User", id: userId } as const;
  const origin = originOf(request, { actor: user, clientId });
  const details: Details = { Amr: amr, Acr: acr };
  if (identityProviderId !== undefined) details.IdentityProviderId = String(identityProviderId);
  return recordAudit(tx, tenantId, origin, { kind: "SignIn.Succeeded", subject: user, details });
}
