import { isRead } from "../../http/request.ts";
import type { Visitor } from "../session.ts";
import { codePage, enrolPage } from "./second-factor.tsx";
import { signInPage } from "./sign-in.tsx";
import type { AccountDependencies, AccountVisit } from "./visit.ts";
import { toAccount } from "./visit.ts";

/** Answers requests of a finished session; otherwise asks for the missing sign-in or factor. */
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
  if (!session) return signInPage(deps, request);
  return session.hasSecondFactor ? codePage(deps, request, session) : enrolPage(deps, { request, visitor, session });
}
