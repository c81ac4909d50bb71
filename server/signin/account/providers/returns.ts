import type { Caller } from "../../sessions.ts";
import type { TakenAttempt } from "../../upstream/attempts.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { isSignInTarget } from "../told.ts";
import { visited } from "../visit.tsx";
import { proposeLink } from "./link.tsx";
import { LINK_PATH } from "./pages.tsx";
import { finishProviderSignIn } from "./sign-in.ts";

/** What a browser comes back from a provider to, if its way began on the account pages. */
export interface AccountReturns {
  isAwaited(taken: TakenAttempt): boolean;
  /** @param query of the address that the browser came back to */
  comeBack(request: Request, caller: Caller, taken: TakenAttempt, query: string): Promise<Response>;
}

export function createAccountReturns(deps: AccountDependencies): AccountReturns {
  return {
    isAwaited: ({ attempt: { target } }) => target === LINK_PATH || isSignInTarget(target),
    comeBack: (request, caller, taken, query) =>
      taken.attempt.target === LINK_PATH
        ? visited(deps, request, caller, (visit) => proposeLink(deps, visit, taken, query))
        : finishProviderSignIn(deps, request, caller, taken, query),
  };
}
