// The sign-in pages. All outside text is escaped here.

import { attribute, CardPage, Problem, type Site } from "../../ui/index.ts";
import { PasskeyForm } from "./passkeys/pages.tsx";
import type { PasskeyQuestion } from "./passkeys/passkeys.ts";

export interface SignInProps {
  site: Site;
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
  const { passkey, keep, forgottenHref, signUpHref } = props;
  return (
    <CardPage site={site} title={problem ? "Error: Sign in" : "Sign in"} script={passkey && "passkey.js"}>
      <h1>Sign in</h1>
      <p class="lead">
        to continue to <strong safe>{application || "the application"}</strong>
      </p>
      {problem ? (
        <p id="problem" class="problem" role="alert" safe>
          {problem}
        </p>
      ) : (
        ""
      )}
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <NameAndPassword username={username} problem={problem} offersPasskeys={passkey !== undefined} />
        {keep === undefined ? "" : <KeepBox checked={keep} />}
        <button type="submit">Sign in</button>
      </form>
      {passkey ? (
        <PasskeyForm
          {...{ site, csrf, question: passkey }}
          action="/signin/passkey"
          kind="offered"
          button="Use a passkey"
          isOutlined
          fields={{ request }}
        />
      ) : (
        ""
      )}
      <p class="note">
        {forgottenHref === undefined ? (
          "Forgot your password? Ask your administrator for a link to set a new one."
        ) : (
          <a href={attribute(forgottenHref)}>Forgot your password?</a>
        )}
      </p>
      {signUpHref === undefined ? (
        ""
      ) : (
        <p class="note">
          <a href={attribute(signUpHref)}>Make an account</a>
        </p>
      )}
      {providers.length > 0 ? (
        <section class="accounts others" aria-label="Other ways to sign in">
          {providers.map(({ name, href }) => (
            <a class="button outline" href={attribute(href)} safe>
              {`Sign in with ${name}`}
            </a>
          ))}
        </section>
      ) : (
        ""
      )}
    </CardPage>
  );
}

function KeepBox({ checked }: { checked: boolean }): JSX.Element {
  return (
    <label>
      <input type="checkbox" name="keep" checked={checked} />
      <span>Keep me signed in</span>
    </label>
  );
}

export interface NameAndPasswordProps {
  username: string;
  /** Why the last attempt failed; shown above as `#problem`. */
  problem?: string;
  /** The browser offers passkeys in the user name's field. */
  offersPasskeys?: boolean;
}

/** Password managers and sign-in scripts look for the names `username` and `password`. */
function NameAndPassword({ username, problem, offersPasskeys }: NameAndPasswordProps): JSX.Element {
  const described = problem ? "problem" : undefined;
  const invalid = problem ? "true" : undefined;
  return (
    <>
      <label for="username">User name</label>
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
      <label for="password">Password</label>
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
export function LinkPage({
  site,
  provider,
  there,
  subject,
  username,
  link,
  request,
  csrf,
  shown,
  problem,
  otherHref,
}: LinkProps): JSX.Element {
  return (
    <CardPage site={site} title={problem ? "Error: Link your account" : "Link your account"}>
      <h1>Link your account</h1>
      <p class="lead">
        <span safe>{provider}</span> has signed you in as <strong safe>{there}</strong>, which is not linked to an
        account here yet. Enter your user name and password here once; after that, signing in there is enough.
      </p>
      {problem ? (
        <p id="problem" class="problem" role="alert" safe>
          {problem}
        </p>
      ) : (
        ""
      )}
      <form method="post" action={site.href("/signin/link")}>
        <input type="hidden" name="link" value={attribute(link)} />
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="shown" value={shown} />
        <NameAndPassword username={username} problem={problem} />
        <button type="submit">Link and sign in</button>
      </form>
      <p class="note">
        No password here, or a new account at <span safe>{provider}</span>? Ask an administrator to link it to yours.{" "}
        <span safe>{provider}</span> identifies it as <code safe>{subject}</code>.
      </p>
      {otherHref === undefined ? (
        ""
      ) : (
        <p class="note">
          No password? <a href={attribute(otherHref)}>Sign in another way</a>, and link it on your account page.
        </p>
      )}
    </CardPage>
  );
}

export interface ChooseAccountProps {
  site: Site;
  application: string;
  user: string;
  continueHref: string;
  switchHref: string;
}

export function ChooseAccountPage({ site, application, user, ...links }: ChooseAccountProps): JSX.Element {
  return (
    <CardPage site={site} title="Choose an account">
      <h1>Choose an account</h1>
      <p class="lead">
        to continue to <strong safe>{application || "the application"}</strong>
      </p>
      <div class="accounts">
        <a class="button" href={attribute(links.continueHref)} safe>
          {`Continue as ${user}`}
        </a>
        <a class="button outline" href={attribute(links.switchHref)}>
          Use another account
        </a>
      </div>
    </CardPage>
  );
}

export interface DeviceCodeProps {
  site: Site;
  action: string;
  csrf: string;
  code: string;
  problem: string | undefined;
}

/** The page where users type the code that a device shows (RFC 8628 3.3). */
export function DeviceCodePage({ site, action, csrf, code, problem }: DeviceCodeProps): JSX.Element {
  return (
    <CardPage site={site} title={problem ? "Error: Sign a device in" : "Sign a device in"}>
      <h1>Sign a device in</h1>
      <p class="lead">Type the code that your television, tool or other device shows.</p>
      <Problem text={problem} />
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="user_code">Code</label>
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
        <button type="submit">Continue</button>
      </form>
      <p class="note">If it is not your device, or someone sent you the code, close this page.</p>
    </CardPage>
  );
}

export interface FormPostProps {
  site: Site;
  action: string;
  fields: [name: string, value: string][];
}

/** OAuth 2.0 Form Post Response Mode: a script submits the form; without scripts the user presses the button. */
export function FormPostPage({ site, action, fields }: FormPostProps): JSX.Element {
  return (
    <CardPage site={site} title="Continue" script="submit.js">
      <h1>One moment</h1>
      <p>Returning to the application.</p>
      <form method="post" action={attribute(action)}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={attribute(name)} value={attribute(value)} />
        ))}
        <button type="submit">Continue</button>
      </form>
    </CardPage>
  );
}

export interface SignOutProps {
  site: Site;
  user: string;
  request: string;
  csrf: string;
}

export function SignOutPage({ site, user, request, csrf }: SignOutProps): JSX.Element {
  return (
    <CardPage site={site} title="Sign out">
      <h1>Sign out</h1>
      <p>
        You are signed in as <strong safe>{user}</strong>. Sign out in this browser?
      </p>
      <form method="post" action={site.href("/signout")}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <button type="submit">Sign out</button>
      </form>
    </CardPage>
  );
}

export interface UpstreamProblemProps {
  site: Site;
  purpose: "sign-in" | "linking";
  provider: string;
  line: string;
  links: { href: string; text: string }[];
  /** The request's key; the audit log has the details under it. */
  reference: string;
}

export function UpstreamProblemPage(props: UpstreamProblemProps): JSX.Element {
  const { site, purpose, provider, line, links, reference } = props;
  const heading = purpose === "sign-in" ? "Sign-in did not work" : "Linking did not work";
  const outcome = purpose === "sign-in" ? "You are not signed in with " : "Your account is not linked to ";
  return (
    <CardPage site={site} title={heading}>
      <h1 safe>{heading}</h1>
      <p>
        <span safe>{outcome}</span>
        <strong safe>{provider}</strong>.
      </p>
      <p safe>{line}</p>
      <div class="accounts">
        {links.map(({ href, text }) => (
          <a class="button outline" href={attribute(href)} safe>
            {text}
          </a>
        ))}
      </div>
      <p class="note" safe>{`For the administrator: RequestKey ${reference}`}</p>
    </CardPage>
  );
}
