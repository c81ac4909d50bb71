// /signin/sign-up: asks for a link to make an account. Its answer is the same for all addresses.

import { readForm } from "../../../platform/http/body.ts";
import { isMailAddress, MAX_MAIL_ADDRESS } from "../../../platform/mail-address.ts";
import { attribute, pageResponse, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { LIFETIME } from "../../signin/links/mailed.ts";
import { findSignInRules } from "../../signin/store.ts";
import { type Trouble, throttled } from "../../signin/throttle.ts";
import { type Checked, checkRequest } from "./authorization-request.ts";
import { nameOfClient } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { AskForLinkPage, LinkSentPage } from "./mailed-link.tsx";
import {
  type AuthorizationTarget,
  continueRequest,
  readCarried,
  readTarget,
  signUpPath,
  signUpPathOf,
  targetText,
} from "./parameters.ts";
import { isNamed, requireLocal } from "./sign-in.ts";
import { tellingTheClient } from "./step.ts";

/** Hidden from people: a program that fills in every field gets no mail. */
const TRAP = "website";

export function signUpPages(deps: AuthorizeDependencies): Pages {
  return {
    [signUpPath]: {
      get: (request) =>
        asking(deps, request, readCarried(request), async (checked) => show(deps, request, checked, "")),
      async post(request, visitor) {
        const form = await readForm(request);
        return asking(deps, request, readTarget(form.get("request")), async (checked) => {
          const typed = (form.get("email") ?? "").trim();
          const stale = deps.forms.troubleWith(request, form.get("csrf"));
          if (stale) return show(deps, request, checked, typed, stale);
          if (!isMailAddress(typed)) {
            const problem = texts.speak(request).t.oneAddress;
            return show(deps, request, checked, typed, { problem, status: 422 });
          }
          const { tenantId, id } = checked.client;
          const given = { tenantId, clientId: String(id), typed, visitor, isNamed: false };
          const wait = await deps.signUps.request(request, given, Boolean(form.get(TRAP)));
          if (wait !== undefined) return show(deps, request, checked, typed, throttled(wait, texts.speak(request)));
          const { site } = deps.endpoints;
          const language = texts.speak(request);
          const time = texts.unit(language.locale, LIFETIME.signUp / 3_600, "hour");
          const sent = texts.fill(language.t.signUpSent, { time });
          const back = site.href(targetText(checked.target));
          return pageResponse(<LinkSentPage {...{ site, language, sent, back }} />);
        });
      },
    },
  };
}

/** Without sign-up, leads back to the sign-in page, as for a typed organisation, which may not exist. */
async function asking(
  deps: AuthorizeDependencies,
  request: Request,
  asked: AuthorizationTarget,
  answer: (checked: Checked) => Promise<Response>,
): Promise<Response> {
  return tellingTheClient(deps, request, async () => {
    const checked = await checkRequest(deps, request, asked);
    requireLocal(checked);
    const rules = isNamed(checked) ? undefined : await findSignInRules(deps.sql, checked.client.tenantId);
    if (rules?.hasSignUp && deps.signUps.canSend) return answer(checked);
    return continueRequest(deps.endpoints.site, asked);
  });
}

function show(
  { endpoints: { site }, forms }: AuthorizeDependencies,
  request: Request,
  checked: Checked,
  email: string,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const carried = targetText(checked.target);
  texts.learn(request, { page: signUpPathOf(checked.target) });
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <AskForLinkPage
      {...{ site, language, csrf, problem }}
      title={t.makeAnAccount}
      lead={t.signUpLead}
      application={nameOfClient(checked, t)}
      action={signUpPath}
      request={carried}
      back={site.href(carried)}
    >
      <label for="email" safe>
        {t.mailAddress}
      </label>
      <input
        id="email"
        name="email"
        type="email"
        value={attribute(email)}
        autocomplete="email"
        maxlength={MAX_MAIL_ADDRESS}
        required
        autofocus
        aria-describedby={problem ? "problem" : undefined}
        aria-invalid={problem ? "true" : undefined}
      />
      <div hidden>
        <label for={TRAP} safe>
          {t.leaveEmpty}
        </label>
        <input id={TRAP} name={TRAP} autocomplete="off" tabindex="-1" />
      </div>
    </AskForLinkPage>
  );
  return pageResponse(page, { status, headers, cookies });
}
