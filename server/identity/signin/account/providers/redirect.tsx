// Failures on the way to a provider and back that began on the account pages.

import { NotFound } from "../../../../platform/errors.ts";
import { contextOf } from "../../../../platform/http/context.ts";
import { toRecordId } from "../../../../platform/http/query.ts";
import type { TenantId } from "../../../../platform/ids.ts";
import { originOf, recordAudit } from "../../../../records/index.ts";
import { pageResponse, texts } from "../../../../ui/index.ts";
import { UpstreamProblemPage } from "../../pages.tsx";
import { failedBy, problemText, UpstreamFailure, type UpstreamProblem } from "../../upstream/failure.ts";
import type { Provider } from "../../upstream/providers/contract.ts";
import { ACCOUNT_PATH, type AccountDependencies, type AccountVisit } from "../visit.ts";

export async function tellingTheUser(
  deps: AccountDependencies,
  visit: AccountVisit,
  provider: Provider,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return refuse(deps, visit, provider, error.kind, error.detail);
  }
}

export async function refuse(
  { sql, endpoints: { site } }: AccountDependencies,
  { request, session: { tenantId, userId } }: AccountVisit,
  provider: Provider,
  problem: UpstreamProblem,
  detail?: string,
): Promise<Response> {
  const origin = originOf(request, { actor: { type: "User", id: userId } });
  await recordAudit(sql, tenantId, origin, failedBy("Identity.LinkFailed", provider, problem, { userId, detail }));
  const { status } = problemText(problem);
  const language = texts.speak(request);
  const links = [{ href: site.href(ACCOUNT_PATH), text: language.t.backToAccount }];
  const reference = contextOf(request).key;
  const said = { purpose: "linking", provider: provider.name, problem, links, reference } as const;
  return pageResponse(<UpstreamProblemPage site={site} language={language} {...said} />, { status });
}

export async function findProvider(
  { upstream }: AccountDependencies,
  tenantId: TenantId,
  id: string | number,
): Promise<Provider> {
  const provider = await upstream.find(tenantId, toRecordId(id) ?? 0);
  if (!provider) throw new NotFound(texts.ERRORS.providerUnknown);
  return provider;
}
