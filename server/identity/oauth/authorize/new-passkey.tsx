// A passkey that the tenant requires or encourages, added during a sign-in. POST /signin/new-passkey is its form.

import { readForm } from "../../../platform/http/body.ts";
import { pageResponse, texts } from "../../../ui/index.ts";
import { deviceOf } from "../../signin/device-name.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { NewPasskeyPage } from "../../signin/passkeys/pages.tsx";
import type { Session } from "../../signin/session.ts";
import type { Trouble } from "../../signin/throttle.ts";
import { checkRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { missingFactor } from "./next-step.ts";
import { type AuthorizationTarget, continueRequest, readTarget, targetText, withPrompt } from "./parameters.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";

export function newPasskeyPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin/new-passkey": {
      async post(request, visitor) {
        const form = await readForm(request);
        const asked = readTarget(form.get("request"));
        return tellingTheClient(deps, request, async () => {
          const checked = await checkRequest(deps, request, asked);
          const { target } = checked;
          const onward = (cookies?: string[]) => continueRequest(deps.endpoints.site, target, cookies);
          const session = await startedSessionFor(deps, request, checked);
          if (!session || !isAsked(session)) return onward();
          const again = (trouble: Trouble) => newPasskeyPage(deps, request, target, session, trouble);
          const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
          if (stale) return again(stale);
          if (form.has("later")) {
            await deps.passkeys.postpone(session);
            return onward();
          }
          const added = await deps.passkeys.add({
            ...{ request, visitor, form, session },
            name: deviceOf(visitor.userAgent, texts.speak(request).t),
          });
          if (added.outcome === "stale") return again({ problem: texts.speak(request).t.passkeyRepeated, status: 422 });
          if (added.outcome === "refused") return again({ problem: added.problem, status: 422 });
          const raised = await deps.sessions.raise(request, session, added.amr, added.id);
          return onward([raised, await deps.browsers.remember(request, session, visitor.address)]);
        });
      },
    },
  };
}

/** The session has given all factors that the user has, and recently. */
function isAsked(session: Session): boolean {
  const { passkeyDue, isUnfinished, hasJustBegun } = session;
  if (passkeyDue === "add") return hasJustBegun && missingFactor(session) === "new-passkey";
  return passkeyDue === "offer" && !isUnfinished;
}

export async function newPasskeyPage(
  { endpoints: { site }, forms, passkeys }: AuthorizeDependencies,
  request: Request,
  target: AuthorizationTarget,
  session: Session,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  const language = texts.speak(request);
  const page = (
    <NewPasskeyPage
      {...{ site, language, csrf, problem }}
      organisation={session.tenantName}
      question={await passkeys.propose(csrf, session)}
      action="/signin/new-passkey"
      fields={{ request: targetText(target) }}
      isOffer={session.passkeyDue === "offer"}
      back={{
        href: site.href(`${target.path}?${withPrompt(target.parameters, "login")}`),
        text: language.t.useAnotherAccount,
      }}
    />
  );
  return pageResponse(page, { status, headers, cookies, endsElsewhere: true });
}
