// The account pages are for signed-in users who have given both factors where two are needed.

import { isRead } from "../../http/request.ts";
import type { Caller } from "../session.ts";
import { codePage, enrolPage } from "./second-factor.tsx";
import { signInPage } from "./sign-in.tsx";
import type { AccountDependencies, Visit } from "./visit.ts";
import { toAccount } from "./visit.ts";

/** Answers a finished session's request; asks everybody else for what is missing. */
export async function visited(
  deps: AccountDependencies,
  request: Request,
  caller: Caller,
  answer: (visit: Visit) => Promise<Response>,
): Promise<Response> {
  const session = await deps.sessions.findStarted(request);
  if (session && !session.isUnfinished) return answer({ request, caller, session });
  // What was sent is not taken: it was the word of a session that is not there.
  if (!isRead(request)) return toAccount(deps);
  if (!session) return signInPage(deps, request);
  return session.hasSecondFactor ? codePage(deps, request, session) : enrolPage(deps, { request, caller, session });
}
