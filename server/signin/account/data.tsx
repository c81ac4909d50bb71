// "Download my data": all data about the person, after the proofs that other sensitive actions need.

import { readForm } from "../../http/body.ts";
import { exportResponse } from "../../http/export.ts";
import { pageResponse } from "../../ui/index.ts";
import type { Trouble } from "../throttle.ts";
import { ConfirmPage, proofAsked, troubleWithProof } from "./password.tsx";
import type { AccountDependencies, AccountVisit } from "./visit.ts";

export async function dataPage(
  deps: AccountDependencies,
  { request, session }: AccountVisit,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = deps.forms.protect(request, session);
  const page = (
    <ConfirmPage
      site={deps.endpoints.site}
      csrf={csrf}
      problem={problem}
      action="/account/data"
      heading="Download your data"
      lead="You get a zip archive with all data about you, as JSON. Passwords and other secrets are not in it."
      button="Download my data"
      {...(await proofAsked(deps, session))}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

export async function downloadData(deps: AccountDependencies, visit: AccountVisit): Promise<Response> {
  const { request, session } = visit;
  const form = await readForm(request);
  const trouble =
    deps.forms.troubleWith(request, form.get("csrf"), session) ?? (await troubleWithProof(deps, visit, form));
  if (trouble) return dataPage(deps, visit, trouble);
  const isStill = async () => {
    const now = await deps.sessions.findStarted(request);
    return now?.id === session.id && !now.isUnfinished;
  };
  return exportResponse(await deps.exportOwn(request, session, isStill));
}
