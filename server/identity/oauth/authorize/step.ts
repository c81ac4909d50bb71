import type { Queries } from "../../../platform/db/sql.ts";
import type { Session } from "../../signin/session.ts";
import { allowanceOfSession, type SessionAllowance } from "../clients/consents.store.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { RefusedRequest } from "./authorization-request.ts";
import { WrongAddress } from "./checks/wrong-address.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { wrongAddressPage } from "./pages.tsx";
import { errorPage, errorReply } from "./reply.ts";

/** With what its user allows the client. */
type AllowingSession = Session & SessionAllowance;

/** The session, if it is of the client's tenant and, where required, began at its provider. It may be unfinished. */
export async function startedSessionFor(
  { sessions }: Pick<AuthorizeDependencies, "sessions">,
  request: Request,
  { client }: AuthorizationRequest,
): Promise<AllowingSession | undefined> {
  const columns = (sql: Queries) => allowanceOfSession(sql, client.tenantId, client.id);
  const session = await sessions.findStarted<SessionAllowance>(request, columns);
  if (session?.tenantId !== client.tenantId) return undefined;
  const { identityProvider } = client;
  const isElsewhere = identityProvider && session.identityProviderId !== identityProvider.id;
  return isElsewhere && !identityProvider.allowLocal ? undefined : session;
}

/** Reports errors to the client's redirect URI; for an unvouched client, a page shows them first. */
export async function tellingTheClient(
  deps: Pick<AuthorizeDependencies, "endpoints" | "pushedRequests" | "sessions" | "log">,
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  const {
    endpoints: { site },
    pushedRequests,
  } = deps;
  try {
    return await answer();
  } catch (error) {
    if (error instanceof WrongAddress) return wrongAddressPage(deps, request, error);
    if (!(error instanceof RefusedRequest)) throw error;
    if (error.reply.pushed) await pushedRequests.take(error.reply.pushed);
    const { reply, cause } = error;
    return reply.isStrangers && cause !== "denied"
      ? errorPage(site, request, reply, error.error, cause === "invalid")
      : errorReply(site, request, reply, error.error);
  }
}
