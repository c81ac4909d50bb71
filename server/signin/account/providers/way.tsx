// A redirect to a provider and back that began on the account pages.

import { originOf, recordAudit } from "../../../audit/index.ts";
import { NotFound } from "../../../errors.ts";
import { NO_STORE } from "../../../http/conditions.ts";
import { contextOf } from "../../../http/context.ts";
import { toRecordId } from "../../../http/query.ts";
import type { TenantId } from "../../../ids.ts";
import { pageResponse } from "../../../ui/index.ts";
import { UpstreamProblemPage } from "../../pages.tsx";
import { failedBy, problemText, UpstreamFailure, type UpstreamProblem } from "../../upstream/failure.ts";
import type { Provider } from "../../upstream/providers/contract.ts";
import { ACCOUNT_PATH, type AccountDependencies } from "../visit.ts";

export interface WayToProvider {
  request: Request;
  tenantId: TenantId;
  provider: Provider;
  purpose: "sign-in" | "linking";
  target: string;
  /** The user who links or signs in, once known. */
  userId?: number;
}

/** Redirects to the provider, or shows why that failed. */
export function sendOff(deps: AccountDependencies, way: WayToProvider): Promise<Response> {
  return tellingTheUser(deps, way, async () => {
    const { href, cookies } = await wayThere(deps, way);
    const headers = new Headers({ location: href, "referrer-policy": "no-referrer", ...NO_STORE });
    for (const cookie of cookies) headers.append("set-cookie", cookie);
    return new Response(null, { status: 303, headers });
  });
}

/** The provider's address and the Set-Cookie values. @throws UpstreamFailure */
export async function wayThere(deps: AccountDependencies, { request, tenantId, provider, target }: WayToProvider) {
  const wish = { target, maxAge: undefined, loginHint: "" };
  const { location, cookies } = await deps.upstream.begin(request, tenantId, provider, wish);
  return { href: location, cookies };
}

export async function tellingTheUser(
  deps: AccountDependencies,
  way: WayToProvider,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return refuse(deps, way, error.kind, error.detail);
  }
}

export async function refuse(
  { sql, endpoints: { site } }: AccountDependencies,
  { request, tenantId, provider, purpose, target, userId }: WayToProvider,
  problem: UpstreamProblem,
  detail?: string,
): Promise<Response> {
  const isLinking = purpose === "linking";
  const actor = isLinking && userId !== undefined ? ({ type: "User", id: userId } as const) : undefined;
  const kind = isLinking ? "Identity.LinkFailed" : "SignIn.Failed";
  await recordAudit(sql, tenantId, originOf(request, { actor }), failedBy(kind, provider, problem, { userId, detail }));
  const { status, line } = problemText(problem);
  const back = isLinking
    ? { href: site.href(ACCOUNT_PATH), text: "Back to your account" }
    : { href: site.href(target), text: "Try again" };
  const reference = contextOf(request).key;
  const said = { purpose, provider: provider.name, line, links: [back], reference };
  const page = <UpstreamProblemPage site={site} {...said} />;
  return pageResponse(page, { status });
}

export async function findProvider(
  { upstream }: AccountDependencies,
  tenantId: TenantId,
  id: string | number | null,
): Promise<Provider> {
  const provider = await upstream.find(tenantId, toRecordId(id) ?? 0);
  if (!provider) throw new NotFound("Unknown way to sign in.");
  return provider;
}
