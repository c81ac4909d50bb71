// The sign-in pages. All outside text is escaped here.

import { attribute, CardPage, Problem, type Site, Text, texts } from "../../ui/index.ts";
import { PasskeyForm } from "./passkeys/pages.tsx";
import type { PasskeyQuestion } from "./passkeys/passkeys.ts";
import type { UpstreamProblem } from "./upstream/failure.ts";

export interface SignInProps {
  site: Site;
  language: texts.Language;
  action?: string;
  /** The application to sign in to; "" if it has no name. */
  application: string;
  request: string;
  csrf: string;
  username: string;
  problem?: string;
  passkey?: PasskeyQuestion;
  /** Whether the box "Keep me signed in" is checked; undefined: there is none. */
  keep?: boolean;
  /** Undefined: no mail can be sent. */
  forgottenHref: string | undefined;
  /** Undefined: people cannot make their own account. */
  signUpHref?: string;
  providers?: { name: string; href: string }[];
}

/** The form has one submit button, so scripts can find it; links to providers are outside it. */
export function SignInPage(props: SignInProps): JSX.Element {
  const { site, action = "/signin", application, request, csrf, username, problem, providers = [] } = props;
  const { language, passkey, keep, forgottenHref, signUpHref } = props;
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem }} title={t.signIn} script={passkey && "passkey.js"}>
      <h1 safe>{t.signIn}</h1>
      <p class="lead">
        <texts.Say text={t.toContinueTo} values={{ application: application || t.theApplication }} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <NameAndPassword {...{ t, username, problem }} offersPasskeys={passkey !== undefined} />
        {keep === undefined ? "" : <KeepBox t={t} checked={keep} />}
        <button type="submit" safe>
          {t.signIn}
        </button>
      </form>
      {passkey ? (
        <PasskeyForm
          {...{ site, t, csrf, question: passkey }}
          action="/signin/passkey"
          kind="offered"
          button={t.useAPasskey}
          isOutlined
          fields={{ request }}
        />
      ) : (
        ""
      )}
      <p class="note">
        {forgottenHref === undefined ? (
          <Text text={t.forgotAskAdministrator} />
        ) : (
          <a href={attribute(forgottenHref)} safe>
            {t.forgotPassword}
          </a>
        )}
      </p>
      {signUpHref === undefined ? (
        ""
      ) : (
        <p class="note">
          <a href={attribute(signUpHref)} safe>
            {t.makeAnAccount}
          </a>
        </p>
      )}
      {providers.length > 0 ? (
        <section class="accounts others" aria-label={attribute(t.otherWays)}>
          {providers.map(({ name, href }) => (
            <a class="button outline" href={attribute(href)} safe>
              {texts.fill(t.signInWith, { provider: name })}
            </a>
          ))}
        </section>
      ) : (
        ""
      )}
    </CardPage>
  );
}

function KeepBox({ t, checked }: { t: texts.Texts; checked: boolean }): JSX.Element {
  return (
    <label>
      <input type="checkbox" name="keep" checked={checked} />
      <span safe>{t.keepSignedIn}</span>
    </label>
  );
}

export interface NameAndPasswordProps {
  t: texts.Texts;
  username: string;
  /** Why the last attempt failed; shown above as `#problem`. */
  problem?: string;
  /** The browser offers passkeys in the user name's field. */
  offersPasskeys?: boolean;
}

/** Password managers and sign-in scripts look for the names `username` and `password`. */
function NameAndPassword({ t, username, problem, offersPasskeys }: NameAndPasswordProps): JSX.Element {
  const described = problem ? "problem" : undefined;
  const invalid = problem ? "true" : undefined;
  return (
    <>
      <label for="username" safe>
        {t.userName}
      </label>
      <input
        id="username"
        name="username"
        value={attribute(username)}
        autocomplete={offersPasskeys ? "username webauthn" : "username"}
        autocapitalize="none"
        spellcheck="false"
        maxlength="1000"
        required
        autofocus={username === ""}
        aria-describedby={described}
        aria-invalid={invalid}
      />
      <label for="password" safe>
        {t.password}
      </label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        maxlength="1000"
        required
        autofocus={username !== ""}
        aria-describedby={described}
        aria-invalid={invalid}
      />
    </>
  );
}

export interface LinkProps {
  site: Site;
  language: texts.Language;
  provider: string;
  /** The user's name at the provider. */
  there: string;
  subject: string;
  /** The provider's user name, or the previous input. */
  username: string;
  link: string;
  request: string;
  csrf: string;
  /** The seal of the names that the page shows. */
  shown: string;
  problem?: string;
  /** Another way to sign in, for users without a password here. */
  otherHref: string | undefined;
}

/** Asks a user signed in by a provider to prove ownership of an existing account, once. */
export function LinkPage(props: LinkProps): JSX.Element {
  const { site, language, provider, there, subject, username, link, request, csrf, shown, problem, otherHref } = props;
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem }} title={t.linkAccountTitle}>
      <h1 safe>{t.linkAccountTitle}</h1>
      <p class="lead">
        <texts.Say text={t.linkAccountLead} values={{ provider, there }} />
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href("/signin/link")}>
        <input type="hidden" name="link" value={attribute(link)} />
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="shown" value={shown} />
        <NameAndPassword {...{ t, username, problem }} />
        <button type="submit" safe>
          {t.linkAndSignIn}
        </button>
      </form>
      <p class="note">
        <Text text={texts.fill(t.linkNoPassword, { provider })} />{" "}
        <texts.Say text={t.linkSubject} values={{ provider, subject }} />
      </p>
      {otherHref === undefined ? (
        ""
      ) : (
        <p class="note">
          <a href={attribute(otherHref)} safe>
            {t.linkOtherWay}
          </a>
        </p>
      )}
    </CardPage>
  );
}

export interface ChooseAccountProps {
  site: Site;
  language: texts.Language;
  application: string;
  user: string;
  continueHref: string;
  switchHref: string;
}

export function ChooseAccountPage({ site, language, application, user, ...links }: ChooseAccountProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage site={site} language={language} title={t.chooseAccount}>
      <h1 safe>{t.chooseAccount}</h1>
      <p class="lead">
        <texts.Say text={t.toContinueTo} values={{ application: application || t.theApplication }} />
      </p>
      <div class="accounts">
        <a class="button" href={attribute(links.continueHref)} safe>
          {texts.fill(t.continueAs, { user })}
        </a>
        <a class="button outline" href={attribute(links.switchHref)} safe>
          {t.useAnotherAccount}
        </a>
      </div>
    </CardPage>
  );
}

export interface DeviceCodeProps {
  site: Site;
  language: texts.Language;
  action: string;
  csrf: string;
  code: string;
  problem: string | undefined;
}

/** The page where users type the code that a device shows (RFC 8628 3.3). */
export function DeviceCodePage({ site, language, action, csrf, code, problem }: DeviceCodeProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage {...{ site, language, problem }} title={t.deviceTitle}>
      <h1 safe>{t.deviceTitle}</h1>
      <p class="lead" safe>
        {t.deviceLead}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="user_code" safe>
          {t.code}
        </label>
        <input
          id="user_code"
          name="user_code"
          value={attribute(code)}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="40"
          required
          autofocus
          aria-describedby={problem ? "problem" : undefined}
          aria-invalid={problem ? "true" : undefined}
        />
        <button type="submit" safe>
          {t.continue}
        </button>
      </form>
      <p class="note" safe>
        {t.deviceNote}
      </p>
    </CardPage>
  );
}

export interface FormPostProps {
  site: Site;
  language: texts.Language;
  action: string;
  fields: [name: string, value: string][];
}

/** OAuth 2.0 Form Post Response Mode: a script submits the form; without scripts the user presses the button. */
export function FormPostPage({ site, language, action, fields }: FormPostProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage site={site} language={texts.withoutChooser(language)} title={t.continue} script="submit.js">
      <h1 safe>{t.oneMoment}</h1>
      <p safe>{t.returning}</p>
      <form method="post" action={attribute(action)}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={attribute(name)} value={attribute(value)} />
        ))}
        <button type="submit" safe>
          {t.continue}
        </button>
      </form>
    </CardPage>
  );
}

export interface SignOutProps {
  site: Site;
  language: texts.Language;
  user: string;
  request: string;
  csrf: string;
}

export function SignOutPage({ site, language, user, request, csrf }: SignOutProps): JSX.Element {
  const { t } = language;
  return (
    <CardPage site={site} language={language} title={t.signOut}>
      <h1 safe>{t.signOut}</h1>
      <p>
        <texts.Say text={t.signOutQuestion} values={{ user }} />
      </p>
      <form method="post" action={site.href("/signout")}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <button type="submit" safe>
          {t.signOut}
        </button>
      </form>
    </CardPage>
  );
}

export interface UpstreamProblemProps {
  site: Site;
  language: texts.Language;
  purpose: "sign-in" | "linking";
  provider: string;
  problem: UpstreamProblem;
  links: { href: string; text: string }[];
  /** The request's key; the audit log has the details under it. */
  reference: string;
}

export function UpstreamProblemPage(props: UpstreamProblemProps): JSX.Element {
  const { site, language, purpose, provider, problem, links, reference } = props;
  const { t } = language;
  const heading = purpose === "sign-in" ? t.signInFailed : t.linkingFailed;
  const outcome = purpose === "sign-in" ? t.notSignedInWith : t.notLinkedTo;
  return (
    <CardPage site={site} language={language} title={heading}>
      <h1 safe>{heading}</h1>
      <p>
        <texts.Say text={outcome} values={{ provider }} />
      </p>
      <p safe>{t.providerProblems[problem]}</p>
      <div class="accounts">
        {links.map(({ href, text }) => (
          <a class="button outline" href={attribute(href)} safe>
            {text}
          </a>
        ))}
      </div>
      <p class="note" safe>
        {texts.fill(t.forAdministrator, { key: reference })}
      </p>
    </CardPage>
  );
}
