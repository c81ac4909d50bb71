// The pages on which a person asks for a mailed link during a sign-in.

import type { Children } from "@kitajs/html";
import { attribute, CardPage, Problem, type Site, Text, texts } from "../../../ui/index.ts";

interface Framed {
  site: Site;
  language: texts.Language;
  /** The address of the sign-in page. */
  back: string;
}

interface AskProps extends Framed {
  title: string;
  lead: texts.Texts["forgotLead"];
  application: string;
  problem: string | undefined;
  /** The form's address, and its hidden fields. */
  action: string;
  request: string;
  csrf: string;
  children: Children;
}

export function AskForLinkPage(props: AskProps): JSX.Element {
  const { site, language, back, title, lead, application, problem, action, request, csrf, children } = props;
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem, title }}>
      <h1 safe>{title}</h1>
      <p class="lead">
        <texts.Say text={lead} values={{ application: application || t.theApplication }} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        {children as "safe"}
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

/** The same for every address that was typed. */
export function LinkSentPage({ site, language, back, sent }: Framed & { sent: string }): JSX.Element {
  const { t } = language;
  return (
    <CardPage site={site} language={language} title={t.lookIntoMail}>
      <h1 safe>{t.lookIntoMail}</h1>
      <p safe>{sent}</p>
      <p class="note">
        <Text text={t.noMail} />{" "}
        <a href={attribute(back)} safe>
          {t.backToSignIn}
        </a>
      </p>
    </CardPage>
  );
}
