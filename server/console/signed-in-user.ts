import { digestOf, type Session } from "../identity/index.ts";
import { Unauthorized } from "../platform/errors.ts";
import { contextOf } from "../platform/http/context.ts";
import { userAgentOf } from "../platform/http/request.ts";
import type { Caller } from "../records/index.ts";
import type { ConsoleDependencies } from "./page.tsx";

export interface SignedInUser {
  caller: Caller;
  session: Session;
  organisation: string;
}

/** Settings ends with the browser's sign-in session. Scopes come from the user's present roles. */
export async function findSignedInUser(deps: ConsoleDependencies, request: Request): Promise<SignedInUser | undefined> {
  const { cookies, sessions, consoleClient, roles, access } = deps;
  const value = cookies.read(request, "settings");
  const session = value === undefined ? undefined : await sessions.find(request);
  if (value === undefined || !session) return undefined;
  const { tenantId, userId } = session;
  const [found, scopes] = await Promise.all([
    consoleClient.findSession(tenantId, session.id, digestOf(value)),
    roles.scopesOf(tenantId, userId),
  ]);
  if (!found) return undefined;
  const { key, address, traceParent } = contextOf(request);
  const call = {
    tenantId,
    clientId: String(found.clientId),
    actor: { type: "User", id: userId } as const,
    scopes: new Set(scopes),
    requestKey: key,
    address,
    time: new Date(),
  };
  const again = async () => {
    const user = await findSignedInUser(deps, request);
    if (user) return user.caller;
    throw new Unauthorized("The sign-in has ended.");
  };
  const admitted = await access.admit(call);
  return {
    caller: { ...call, userAgent: userAgentOf(request), traceParent, again, ...admitted },
    session,
    organisation: found.organisation,
  };
}
