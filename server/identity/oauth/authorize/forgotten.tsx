// /signin/forgotten: asks for a link to set a new password. Its answer is the same for all accounts and for none.

import { readForm } from "../../../platform/http/body.ts";
import { attribute, pageResponse, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { LIFETIME } from "../../signin/links/mailed.ts";
import { throttled } from "../../signin/throttle.ts";
import { checkRequest } from "./authorization-request.ts";
import { nameOfClient } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { AskForLinkPage, LinkSentPage } from "./mailed-link.tsx";
import type { SignInState } from "./pages.tsx";
import {
  type AuthorizationTarget,
  continueRequest,
  forgottenPath,
  forgottenPathOf,
  readCarried,
  readTarget,
  targetText,
} from "./parameters.ts";
import { isNamed, requireLocal } from "./sign-in.ts";
import { tellingTheClient } from "./step.ts";

export function forgottenPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin/forgotten": {
      async get(request) {
        const target = readCarried(request);
        return tellingTheClient(deps, request, () => show(deps, request, target, { username: "" }));
      },
      async post(request, visitor) {
        const form = await readForm(request);
        const target = readTarget(form.get("request"));
        return tellingTheClient(deps, request, async () => {
          const checked = await checkRequest(deps, request, target);
          requireLocal(checked);
          const username = form.get("username") ?? "";
          const stale = deps.forms.troubleWith(request, form.get("csrf"));
          if (stale) return show(deps, request, target, { username, ...stale });
          if (!deps.forgotten.canSend) return continueRequest(deps.endpoints.site, target);
          const { tenantId, id } = checked.client;
          const asked = { tenantId, clientId: String(id), typed: username, visitor, isNamed: isNamed(checked) };
          const wait = await deps.forgotten.request(request, asked);
          if (wait !== undefined)
            return show(deps, request, target, { username, ...throttled(wait, texts.speak(request)) });
          const { site } = deps.endpoints;
          const language = texts.speak(request);
          const time = texts.unit(language.locale, LIFETIME.reset / 60, "minute");
          const sent = texts.fill(language.t.resetSent, { time });
          return pageResponse(<LinkSentPage {...{ site, language, sent }} back={site.href(targetText(target))} />);
        });
      },
    },
  };
}

async function show(
  deps: AuthorizeDependencies,
  request: Request,
  asked: AuthorizationTarget,
  { username, problem, status, headers }: SignInState,
): Promise<Response> {
  const checked = await checkRequest(deps, request, asked);
  requireLocal(checked);
  const { target } = checked;
  const { site } = deps.endpoints;
  if (!deps.forgotten.canSend) return continueRequest(site, target);
  const { csrf, cookies } = deps.forms.protect(request);
  texts.learn(request, { page: forgottenPathOf(target) });
  const language = texts.speak(request);
  const { t } = language;
  const page = (
    <AskForLinkPage
      {...{ site, language, csrf, problem }}
      title={t.forgotPassword}
      lead={t.forgotLead}
      application={nameOfClient(checked, t)}
      action={forgottenPath}
      request={targetText(target)}
      back={site.href(targetText(target))}
    >
      <label for="username" safe>
        {t.nameOrAddress}
      </label>
      <input
        id="username"
        name="username"
        value={attribute(username)}
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        maxlength="1000"
        required
        autofocus
        aria-describedby={problem ? "problem" : undefined}
        aria-invalid={problem ? "true" : undefined}
      />
    </AskForLinkPage>
  );
  return pageResponse(page, { status, headers, cookies });
}
