// Signing in at a provider for the account pages themselves.

import { originOf } from "../../../audit/index.ts";
import type { TenantId } from "../../../tenant-id.ts";
import type { Caller } from "../../sessions.ts";
import type { TakenAttempt } from "../../upstream/attempts.ts";
import { beginSessionByProvider } from "../../upstream/session.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { signInTarget, toAccount } from "../told.ts";
import { findProvider, refuse, sendOff, tellingTheUser, type Way } from "./way.tsx";

/** @param clientId of the application by which somebody signs in */
export async function startProviderSignIn(
  deps: AccountDependencies,
  request: Request,
  tenantId: TenantId,
  clientId: string,
  providerId: string | number | null,
): Promise<Response> {
  const provider = await findProvider(deps, tenantId, providerId);
  return sendOff(deps, { request, tenantId, provider, purpose: "sign-in", target: signInTarget(clientId) });
}

/** The browser is back. */
export async function finishProviderSignIn(
  deps: AccountDependencies,
  request: Request,
  caller: Caller,
  { attempt, checks }: TakenAttempt,
  query: string,
): Promise<Response> {
  const { tenantId, target } = attempt;
  const provider = await findProvider(deps, tenantId, attempt.providerId);
  const way: Way = { request, tenantId, provider, purpose: "sign-in", target };
  return tellingTheUser(deps, way, async () => {
    const identity = await deps.upstream.identify(provider, attempt, checks, query);
    const by = (id: number) => originOf(request, { actor: { type: "User", id } });
    const account = await deps.upstream.accountOf(tenantId, provider, identity, by);
    // An application's sign-in page can link it; here there is nothing to go on to.
    if (account.outcome === "link") return refuse(deps, way, "unknown");
    if (account.outcome === "stranger") return refuse(deps, way, "stranger");
    const { userId } = account;
    if (account.outcome === "inactive") return refuse(deps, { ...way, userId }, "inactive");
    const cookies = await beginSessionByProvider(deps, request, caller, attempt, identity, { userId });
    return toAccount(deps, undefined, cookies);
  });
}
