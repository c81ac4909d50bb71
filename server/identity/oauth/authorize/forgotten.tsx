// /signin/forgotten: asks for a link to set a new password. Its answer is the same for all accounts and for none.

import { readForm } from "../../../platform/http/body.ts";
import { attribute, CardPage, Problem, pageResponse, type Site, Text, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { LIFETIME } from "../../signin/links/mailed.ts";
import { throttled } from "../../signin/throttle.ts";
import { checkRequest } from "./authorization-request.ts";
import { nameOfClient } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import type { SignInState } from "./pages.tsx";
import {
  type AuthorizationTarget,
  forgottenPath,
  forgottenPathOf,
  goTo,
  queryOf,
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
          if (!deps.forgotten.canSend) return goTo(deps.endpoints.site, target.path, queryOf(target.parameters));
          const { tenantId, id } = checked.client;
          const asked = { tenantId, clientId: String(id), typed: username, visitor, isNamed: isNamed(checked) };
          const wait = await deps.forgotten.request(request, asked);
          if (wait !== undefined)
            return show(deps, request, target, { username, ...throttled(wait, texts.speak(request)) });
          const { site } = deps.endpoints;
          const back = site.href(targetText(target));
          return pageResponse(<SentPage site={site} language={texts.speak(request)} back={back} />);
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
  if (!deps.forgotten.canSend) return goTo(site, target.path, queryOf(target.parameters));
  const { csrf, cookies } = deps.forms.protect(request);
  texts.learn(request, { page: forgottenPathOf(target) });
  const page = (
    <ForgottenPage
      {...{ site, language: texts.speak(request), csrf, username, problem }}
      application={nameOfClient(checked, texts.speak(request).t)}
      request={targetText(target)}
      back={site.href(targetText(target))}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

interface ForgottenProps {
  site: Site;
  language: texts.Language;
  application: string;
  request: string;
  csrf: string;
  username: string;
  problem: string | undefined;
  back: string;
}

function ForgottenPage(props: ForgottenProps): JSX.Element {
  const { site, language, application, request, csrf, username, problem, back } = props;
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem }} title={t.forgotPassword}>
      <h1 safe>{t.forgotPassword}</h1>
      <p class="lead">
        <texts.Say text={t.forgotLead} values={{ application: application || t.theApplication }} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(forgottenPath)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
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
        <button type="submit" safe>
          {t.sendLink}
        </button>
      </form>
      <p class="note">
        <a href={attribute(back)} safe>
          {t.backToSignIn}
        </a>
      </p>
    </CardPage>
  );
}

function SentPage({ site, language, back }: Pick<ForgottenProps, "site" | "language" | "back">): JSX.Element {
  const { t, locale } = language;
  return (
    <CardPage site={site} language={language} title={t.lookIntoMail}>
      <h1 safe>{t.lookIntoMail}</h1>
      <p safe>{texts.fill(t.resetSent, { time: texts.unit(locale, LIFETIME.reset / 60, "minute") })}</p>
      <p class="note">
        <Text text={t.noMail} />{" "}
        <a href={attribute(back)} safe>
          {t.backToSignIn}
        </a>
      </p>
    </CardPage>
  );
}
