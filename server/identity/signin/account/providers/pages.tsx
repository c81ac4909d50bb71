import { Ask, attribute, CardPage, Problem, type Site, Text, Time, texts } from "../../../../ui/index.ts";
import { CodeField, PasswordField } from "../../second-factor/pages.tsx";
import type { OfferedProvider } from "../../upstream/upstream.ts";
import type { LinkedAccount } from "./linked.ts";

export interface LinkAccountProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  link: string;
  /** The seal of the names that the page shows. */
  shown: string;
  provider: string;
  there: string;
  here: string;
  organisation: string;
  asksPassword: boolean;
  asksCode: boolean;
  problem?: string;
}

/** Names both accounts first: at the provider, the browser may be signed in to someone else's account. */
export function LinkAccountPage(props: LinkAccountProps): JSX.Element {
  const { site, language, csrf, link, shown, provider, there, here } = props;
  const { organisation, asksPassword, asksCode, problem } = props;
  const { t } = language;
  const heading = texts.fill(t.linkProvider, { provider });
  return (
    <CardPage {...{ site, language, organisation, problem }} title={heading}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        <texts.Say text={t.linkLead} values={{ provider, there, here }} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(LINK_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="link" value={attribute(link)} />
        <input type="hidden" name="shown" value={shown} />
        {asksPassword ? <PasswordField t={t} problem={problem} /> : ""}
        {asksCode ? <CodeField label={t.codeOrRecovery} problem={problem} /> : ""}
        <button type="submit" safe>
          {t.link}
        </button>
      </form>
      <p class="note">
        <a href={site.href("/account")} safe>
          {t.doNotLink}
        </a>
      </p>
    </CardPage>
  );
}

/** Refreshes itself; the link is for browsers that do not. */
export interface GoOnProps {
  site: Site;
  language: texts.Language;
  provider: string;
  organisation: string;
  href: string;
}

export function GoOnPage({ site, language, provider, organisation, href }: GoOnProps): JSX.Element {
  const { t } = language;
  const heading = texts.fill(t.continueTo, { destination: provider });
  return (
    <CardPage {...{ site, language, organisation }} title={heading}>
      <h1 safe>{heading}</h1>
      <p safe>{t.linkThere}</p>
      <div class="actions">
        <a class="button" href={attribute(href)} safe>
          {texts.fill(t.goTo, { provider })}
        </a>
      </div>
    </CardPage>
  );
}

export const START_LINK_PATH = "/account/providers/start";
export const LINK_PATH = "/account/providers/link";
export const UNLINK_PATH = "/account/providers/unlink";

export interface ProvidersSectionProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  linked: LinkedAccount[];
  offered: OfferedProvider[];
  hasPassword: boolean;
}

/** Empty if the tenant has no providers. */
export function ProvidersSection(props: ProvidersSectionProps): JSX.Element {
  const { site, language, csrf, linked, offered, hasPassword } = props;
  const { t } = language;
  if (linked.length === 0 && offered.length === 0) return "";
  const usable = linked.filter(({ isUsable }) => isUsable);
  const isLastWayIn = (account: LinkedAccount) => !hasPassword && usable.every((other) => other === account);
  return (
    <section>
      <h2 safe>{t.otherWays}</h2>
      {linked.length === 0 ? (
        <p safe>{t.linkProvidersLead}</p>
      ) : (
        <ul class="rows">
          {linked.map((account) => (
            <LinkedRow {...{ site, language, csrf, account }} isLastWayIn={isLastWayIn(account)} />
          ))}
        </ul>
      )}
      {offered.length === 0 ? (
        ""
      ) : (
        <div class="actions">
          {offered.map(({ id, name }) => (
            <form method="post" action={site.href(START_LINK_PATH)}>
              <input type="hidden" name="csrf" value={csrf} />
              <input type="hidden" name="provider" value={String(id)} />
              <button type="submit" class="outline" safe>
                {texts.fill(t.linkProvider, { provider: name })}
              </button>
            </form>
          ))}
        </div>
      )}
    </section>
  );
}

interface LinkedRowProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  account: LinkedAccount;
  isLastWayIn: boolean;
}

function LinkedRow({ site, language: { t, locale }, csrf, account, isLastWayIn }: LinkedRowProps): JSX.Element {
  const { key, provider, subject, linkedOn, isUsable } = account;
  const state = isUsable ? "" : ` · ${t.currentlyInactive}`;
  return (
    <li>
      <div>
        <strong safe>{provider}</strong>
        <small>
          <Text text={texts.fill(t.asSubject, { subject: shortened(subject) })} /> ·{" "}
          <texts.Insert text={t.linkedOn} values={{ time: <Time at={linkedOn} day locale={locale} /> }} />
          <Text text={state} />
        </small>
      </div>
      {isLastWayIn ? (
        <small safe>{t.onlyWayIn}</small>
      ) : (
        <Ask
          id={`unlink-${key}`}
          label={t.unlink}
          kind="outline"
          about={provider}
          question={texts.fill(t.unlinkQuestion, { provider })}
          effects={[t.noSignInWithIt, t.unlinkEffect]}
          confirm={t.unlinkIt}
          keep={t.keepIt}
          action={site.href(UNLINK_PATH)}
          csrf={csrf}
          fields={{ account: key }}
        />
      )}
    </li>
  );
}

/** The number of characters of a subject that the page shows: enough to distinguish accounts. */
const SUBJECT_SHOWN = 40;

function shortened(subject: string): string {
  return subject.length <= SUBJECT_SHOWN ? subject : `${subject.slice(0, SUBJECT_SHOWN)}…`;
}
