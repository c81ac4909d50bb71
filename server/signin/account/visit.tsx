// Who may see the account pages: whoever has signed in, both factors given where two are needed.

import { isRead } from "../../http/method.ts";
import type { Caller, Session } from "../sessions.ts";
import type { AccountDependencies } from "./dependencies.ts";
import { codePage, enrolPage } from "./second-factor.tsx";
import { signInPage } from "./sign-in.tsx";
import { toAccount } from "./told.ts";

/** A request to an account page by its user. */
export interface Visit {
  request: Request;
  caller: Caller;
  session: Session;
}

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
