// The error page for a rejected request of an unvouched client. All outside text is escaped here.

import { attribute, CardPage, type Site, Text, texts } from "../../../ui/index.ts";

interface RefusedProps {
  site: Site;
  language: texts.Language;
  isInvalid: boolean;
  problem: string;
  /** The host or scheme of the response's destination. */
  destination: string;
  href?: string;
  action?: string;
  fields?: [string, string][];
}

export function RefusedPage(props: RefusedProps): JSX.Element {
  const { site, language, isInvalid, problem, destination, href, action, fields = [] } = props;
  const { t } = language;
  return (
    <CardPage site={site} language={language} title={t.requestRefused}>
      <h1 safe>{t.requestRefused}</h1>
      <p safe>{isInvalid ? t.requestInvalid : t.requestUnanswerable}</p>
      <p lang="en" dir="ltr" safe>
        {problem}
      </p>
      <p class="warning">
        <Text text={t.notApproved} /> <texts.Say text={t.continueIfKnown} values={{ destination }} />
      </p>
      {action === undefined ? (
        <p>
          <a href={attribute(href!)} rel="noreferrer" safe>
            {texts.fill(t.continueTo, { destination })}
          </a>
        </p>
      ) : (
        <form method="post" action={attribute(action)}>
          {fields.map(([name, value]) => (
            <input type="hidden" name={attribute(name)} value={attribute(value)} />
          ))}
          <button type="submit" class="outline" safe>
            {texts.fill(t.continueTo, { destination })}
          </button>
        </form>
      )}
    </CardPage>
  );
}
