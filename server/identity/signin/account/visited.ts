import { isRead, requestUrl } from "../../../platform/http/request.ts";
import type { Visitor } from "../session.ts";
import { redirectTo } from "../sign-out.tsx";
import { type AccountDependencies, type AccountVisit, accountSignIn, toAccount } from "./visit.ts";

/** Answers requests of a finished session; otherwise the user signs in and returns to the page. */
export async function visited(
  deps: AccountDependencies,
  request: Request,
  visitor: Visitor,
  answer: (visit: AccountVisit) => Promise<Response>,
): Promise<Response> {
  const session = await deps.sessions.findStarted(request);
  if (session && !session.isUnfinished) return answer({ request, visitor, session });
  // A form that was sent without a valid session is dropped.
  if (!isRead(request)) return toAccount(deps);
  return redirectTo(deps.endpoints.site.href(signInPath(request)), []);
}

/** User names are unique only in a tenant, so an application's link or the name of the organisation selects it. */
function signInPath(request: Request): string {
  const { pathname: next, searchParams } = requestUrl(request);
  const application = searchParams.get("client_id");
  if (application) return accountSignIn(application, next);
  const organisation = searchParams.get("organisation");
  return `/settings/sign-in?${new URLSearchParams({ next, ...(organisation !== null && { organisation }) })}`;
}
