import { encode } from "uqr";
import { attribute, CardPage, Problem, type Site } from "../../../ui/index.ts";
import { PasskeyForm } from "../passkeys/pages.tsx";
import type { PasskeyQuestion } from "../passkeys/passkeys.ts";
import { RECOVERY_CODES } from "./codes.ts";
import type { Proposal } from "./second-factor.ts";

export interface FactorForm {
  site: Site;
  action: string;
  request: string;
  csrf: string;
  problem?: string;
}

export interface SecondFactorProps extends FactorForm {
  user: string;
  switchHref: string;
  passkey?: PasskeyQuestion;
  /** The user has an authenticator app. */
  asksCode: boolean;
}

export function SecondFactorPage(props: SecondFactorProps) {
  const { site, action, request, csrf, problem, user, switchHref, passkey, asksCode } = props;
  const heading = asksCode ? "Enter your code" : "Use your passkey";
  return (
    <CardPage site={site} title={problem ? `Error: ${heading}` : heading} script={passkey && "passkey.js"}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        {asksCode ? "from the authenticator app of" : "to finish signing in as"} <strong safe>{user}</strong>
      </p>
      <Problem text={problem} />
      {asksCode ? (
        <form method="post" action={site.href(action)}>
          <input type="hidden" name="request" value={attribute(request)} />
          <input type="hidden" name="csrf" value={csrf} />
          <CodeField label="Code" problem={problem} autofocus />
          <button type="submit">Continue</button>
        </form>
      ) : (
        <noscript>
          <p class="note">A passkey can only be used with JavaScript. Allow it for this page.</p>
        </noscript>
      )}
      {passkey ? (
        <PasskeyForm
          {...{ site, csrf, question: passkey }}
          action="/signin/passkey-factor"
          kind="asked"
          button="Use a passkey"
          isOutlined={asksCode}
          fields={{ request }}
        />
      ) : (
        ""
      )}
      <p class="note">
        {asksCode
          ? "Without the app, enter one of your recovery codes. Each works once. "
          : "If you have lost it, ask an administrator to remove it. "}
        <a href={attribute(switchHref)}>Use another account</a>
      </p>
    </CardPage>
  );
}

export interface EnrolProps extends FactorForm {
  proposal: Proposal;
  asksPassword: boolean;
  lead: string;
  /** On an account page. */
  organisation?: string;
  backHref?: string;
}

/** Sets up an authenticator app by QR code or by typed key, and asks for a first code. */
export function EnrolPage(props: EnrolProps): JSX.Element {
  const { site, action, request, csrf, problem, proposal, asksPassword, lead, organisation, backHref } = props;
  const title = problem ? "Error: Set up your authenticator" : "Set up your authenticator";
  return (
    <CardPage site={site} title={title} organisation={organisation}>
      <h1>Set up your authenticator</h1>
      <p class="lead" safe>
        {lead}
      </p>
      <Problem text={problem} />
      <ol class="steps">
        <li>
          Scan this with an authenticator app, for example in your password manager.
          <QrCode text={proposal.uri} label="QR code for the authenticator app" />
          <p>
            <a href={attribute(proposal.uri)}>Open it in an app on this phone</a>
          </p>
          <details>
            <summary>Enter a key instead</summary>
            <p>
              Time-based, six digits, this key:
              <code class="key" safe>
                {proposal.key.replace(/(.{4})(?=.)/g, "$1 ")}
              </code>
            </p>
          </details>
        </li>
        <li>Enter the code that the app shows.</li>
      </ol>
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="proposal" value={proposal.sealed} />
        <CodeField label="Code" problem={problem} />
        {asksPassword ? <PasswordField problem={problem} /> : ""}
        <button type="submit">Confirm</button>
      </form>
      {backHref ? (
        <p class="note">
          <a href={attribute(backHref)}>Back to your account</a>
        </p>
      ) : (
        ""
      )}
    </CardPage>
  );
}

export interface RecoveryCodesProps {
  site: Site;
  codes: string[];
  continueHref: string;
  organisation?: string;
}

/** The codes are shown only here. */
export function RecoveryCodesPage({ site, codes, continueHref, organisation }: RecoveryCodesProps): JSX.Element {
  return (
    <CardPage site={site} title="Keep your recovery codes" organisation={organisation}>
      <h1>Keep your recovery codes</h1>
      <p>
        {RECOVERY_CODES} codes to use without your authenticator. Each works once. They are shown only now: print them,
        or store them with your passwords.
      </p>
      <ol class="codes">
        {codes.map((code) => (
          <li>
            <code safe>{code}</code>
          </li>
        ))}
      </ol>
      <a class="button" href={attribute(continueHref)}>
        I have stored them
      </a>
    </CardPage>
  );
}

interface FieldProps {
  label: string;
  problem: string | undefined;
  autofocus?: boolean;
}

/** `inputmode=numeric` would prevent the letters of a recovery code. */
export function CodeField({ label, problem, autofocus }: FieldProps): JSX.Element {
  return (
    <>
      <label for="code" safe>
        {label}
      </label>
      <input
        id="code"
        name="code"
        autocomplete="one-time-code"
        autocapitalize="characters"
        spellcheck="false"
        maxlength="40"
        required
        autofocus={autofocus}
        aria-describedby={problem ? "problem" : undefined}
        aria-invalid={problem ? "true" : undefined}
      />
    </>
  );
}

export function PasswordField({ problem }: Pick<FieldProps, "problem">): JSX.Element {
  return (
    <>
      <label for="password">Your password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        maxlength="1000"
        required
        aria-describedby={problem ? "problem" : undefined}
      />
    </>
  );
}

/** White modules around the QR code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Black on white in dark mode, too, because cameras need it. */
function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path fill="#000" d={path} />
    </svg>
  );
}
