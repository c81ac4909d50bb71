import { Ask, attribute, CardPage, Problem, type Site, Time } from "../../../../ui/index.ts";
import { CodeField, PasswordField } from "../../second-factor/pages.tsx";
import type { OfferedProvider } from "../../upstream/upstream.ts";
import type { LinkedAccount } from "./linked.ts";

export interface LinkAccountProps {
  site: Site;
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
  const { site, csrf, link, shown, provider, there, here, organisation, asksPassword, asksCode, problem } = props;
  const heading = `Link ${provider}`;
  return (
    <CardPage site={site} title={problem ? `Error: ${heading}` : heading} organisation={organisation}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        <span safe>{provider}</span> has signed in <strong safe>{there}</strong>. Once it is linked, signing in there is
        enough to be <strong safe>{here}</strong> here.
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(LINK_PATH)}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="link" value={attribute(link)} />
        <input type="hidden" name="shown" value={shown} />
        {asksPassword ? <PasswordField problem={problem} /> : ""}
        {asksCode ? <CodeField label="A code from your app, or a recovery code" problem={problem} /> : ""}
        <button type="submit">Link</button>
      </form>
      <p class="note">
        <a href={site.href("/account")}>Do not link it</a>
      </p>
    </CardPage>
  );
}

/** Refreshes itself; the link is for browsers that do not. */
export interface GoOnProps {
  site: Site;
  provider: string;
  organisation: string;
  href: string;
}

export function GoOnPage({ site, provider, organisation, href }: GoOnProps): JSX.Element {
  const heading = `Continue to ${provider}`;
  return (
    <CardPage site={site} title={heading} organisation={organisation}>
      <h1 safe>{heading}</h1>
      <p>Sign in there with the account that you want to link.</p>
      <div class="actions">
        <a class="button" href={attribute(href)} safe>
          {`Go to ${provider}`}
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
  csrf: string;
  linked: LinkedAccount[];
  offered: OfferedProvider[];
  hasPassword: boolean;
}

/** Empty if the tenant has no providers. */
export function ProvidersSection({ site, csrf, linked, offered, hasPassword }: ProvidersSectionProps): JSX.Element {
  if (linked.length === 0 && offered.length === 0) return "";
  const usable = linked.filter(({ isUsable }) => isUsable);
  const isLastWayIn = (account: LinkedAccount) => !hasPassword && usable.every((other) => other === account);
  return (
    <section>
      <h2>Other ways to sign in</h2>
      {linked.length === 0 ? (
        <p>Link an account at a provider to sign in with it instead of your password.</p>
      ) : (
        <ul class="rows">
          {linked.map((account) => (
            <LinkedRow site={site} csrf={csrf} account={account} isLastWayIn={isLastWayIn(account)} />
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
                {`Link ${name}`}
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
  csrf: string;
  account: LinkedAccount;
  isLastWayIn: boolean;
}

function LinkedRow({ site, csrf, account, isLastWayIn }: LinkedRowProps): JSX.Element {
  const { key, provider, subject, linkedOn, isUsable } = account;
  const state = isUsable ? "" : " · currently inactive";
  return (
    <li>
      <div>
        <strong safe>{provider}</strong>
        <small>
          <span safe>{`as ${shortened(subject)}`}</span> · linked <Time at={linkedOn} day />
          {state}
        </small>
      </div>
      {isLastWayIn ? (
        <small>Your only way to sign in</small>
      ) : (
        <Ask
          id={`unlink-${key}`}
          label="Unlink"
          kind="outline"
          about={provider}
          question={`Unlink ${provider}?`}
          effects={["You can no longer sign in with it.", "Other browsers signed in with it must sign in again."]}
          confirm="Unlink it"
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
