// POST /signin/keep: whether the user stays signed in. Asked after a sign-in whose page has no box for it: by a passkey,
// at a provider, or to a typed organisation.

import { readForm } from "../../../platform/http/body.ts";
import { attribute, CardPage, Problem, pageResponse, type Site, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import type { Session } from "../../signin/session.ts";
import type { Trouble } from "../../signin/throttle.ts";
import { type Checked, checkRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { continueRequest, readTarget, targetText } from "./parameters.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";

const PATH = "/signin/keep";

export function keepPages(deps: AuthorizeDependencies): Pages {
  return {
    [PATH]: {
      async post(request) {
        const form = await readForm(request);
        const asked = readTarget(form.get("request"));
        return tellingTheClient(deps, request, async () => {
          const checked = await checkRequest(deps, request, asked);
          const { target } = checked;
          const onward = (cookies?: string[]) => continueRequest(deps.endpoints.site, target, cookies);
          const session = await startedSessionFor(deps, request, checked);
          if (!session || session.isUnfinished || session.isKept !== null) return onward();
          const stale = deps.forms.troubleWith(request, form.get("csrf"), session);
          if (stale) return keepPage(deps, request, checked, session, stale);
          return onward([await deps.sessions.keep(request, session, form.get("keep") === "yes")]);
        });
      },
    },
  };
}

export function keepPage(
  { endpoints: { site }, forms }: Pick<AuthorizeDependencies, "endpoints" | "forms">,
  request: Request,
  { target }: Checked,
  session: Session,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request, session);
  const language = texts.speak(request);
  const page = <KeepPage {...{ site, language, csrf, problem }} request={targetText(target)} />;
  return pageResponse(page, { status, headers, cookies, endsElsewhere: true });
}

interface KeepProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  request: string;
  problem: string | undefined;
}

function KeepPage({ site, language, csrf, request, problem }: KeepProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem }} title={t.stayTitle}>
      <h1 safe>{t.stayTitle}</h1>
      <p class="lead" safe>
        {t.stayLead}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="request" value={attribute(request)} />
        <div class="choice">
          <button type="submit" name="keep" value="no" class="outline" safe>
            {t.no}
          </button>
          <button type="submit" name="keep" value="yes" safe>
            {t.yes}
          </button>
        </div>
      </form>
    </CardPage>
  );
}
