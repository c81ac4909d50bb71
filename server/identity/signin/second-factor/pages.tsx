import { encode } from "uqr";
import { attribute, CardPage, Problem, type Site, Text, texts } from "../../../ui/index.ts";
import { PasskeyForm } from "../passkeys/pages.tsx";
import type { PasskeyQuestion } from "../passkeys/passkeys.ts";
import type { Proposal } from "./second-factor.ts";

export interface FactorForm {
  site: Site;
  language: texts.Language;
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
  const { site, language, action, request, csrf, problem, user, switchHref, passkey, asksCode } = props;
  const { t } = language;
  const heading = asksCode ? t.enterCode : t.usePasskey;
  return (
    <CardPage {...{ site, language, problem }} title={heading} script={passkey && "passkey.js"}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        <texts.Say text={asksCode ? t.codeOf : t.passkeyOf} values={{ user }} />
      </p>
      <Problem text={problem} />
      {asksCode ? (
        <form method="post" action={site.href(action)}>
          <input type="hidden" name="request" value={attribute(request)} />
          <input type="hidden" name="csrf" value={csrf} />
          <CodeField label={t.code} problem={problem} autofocus />
          <button type="submit" safe>
            {t.continue}
          </button>
        </form>
      ) : (
        <noscript>
          <p class="note" safe>
            {t.passkeyNeedsScript}
          </p>
        </noscript>
      )}
      {passkey ? (
        <PasskeyForm
          {...{ site, t, csrf, question: passkey }}
          action="/signin/passkey-factor"
          kind="asked"
          button={t.useAPasskey}
          isOutlined={asksCode}
          fields={{ request }}
        />
      ) : (
        ""
      )}
      <p class="note">
        <Text text={asksCode ? t.withoutApp : t.withoutPasskey} />{" "}
        <a href={attribute(switchHref)} safe>
          {t.useAnotherAccount}
        </a>
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
  const { site, language, action, request, csrf, problem, proposal, asksPassword, lead, organisation, backHref } =
    props;
  const { t } = language;
  return (
    <CardPage {...{ site, language, organisation, problem }} title={t.enrolTitle}>
      <h1 safe>{t.enrolTitle}</h1>
      <p class="lead" safe>
        {lead}
      </p>
      <Problem text={problem} />
      <ol class="steps">
        <li>
          <Text text={t.enrolScan} />
          <QrCode text={proposal.uri} label={attribute(t.qrCode)} />
          <p>
            <a href={attribute(proposal.uri)} safe>
              {t.openInApp}
            </a>
          </p>
          <details>
            <summary safe>{t.enterKey}</summary>
            <p>
              <Text text={t.keyIs} />
              <code class="key" safe>
                {proposal.key.replace(/(.{4})(?=.)/g, "$1 ")}
              </code>
            </p>
          </details>
        </li>
        <li safe>{t.enterShownCode}</li>
      </ol>
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="proposal" value={proposal.sealed} />
        <CodeField label={t.code} problem={problem} />
        {asksPassword ? <PasswordField t={t} problem={problem} /> : ""}
        <button type="submit" safe>
          {t.confirm}
        </button>
      </form>
      {backHref ? (
        <p class="note">
          <a href={attribute(backHref)} safe>
            {t.backToAccount}
          </a>
        </p>
      ) : (
        ""
      )}
    </CardPage>
  );
}

export interface RecoveryCodesProps {
  site: Site;
  language: texts.Language;
  codes: string[];
  continueHref: string;
  organisation?: string;
}

/** The codes are shown only here. */
export function RecoveryCodesPage(props: RecoveryCodesProps): JSX.Element {
  const { site, language, codes, continueHref, organisation } = props;
  const { t, locale } = language;
  return (
    <CardPage site={site} language={texts.withoutChooser(language)} title={t.recoveryTitle} organisation={organisation}>
      <h1 safe>{t.recoveryTitle}</h1>
      <p safe>{texts.plural(locale, t.recoveryLead, codes.length)}</p>
      <ol class="codes">
        {codes.map((code) => (
          <li>
            <code safe>{code}</code>
          </li>
        ))}
      </ol>
      <a class="button" href={attribute(continueHref)} safe>
        {t.recoveryStored}
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

export function PasswordField({ t, problem }: Pick<FieldProps, "problem"> & { t: texts.Texts }): JSX.Element {
  return (
    <>
      <label for="password" safe>
        {t.yourPassword}
      </label>
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
