// Pages between an authorization request and its response. Each continues the request unchanged.

import type { Queries } from "../../../platform/db/sql.ts";
import { contextOf } from "../../../platform/http/context.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { MessagePage, pageResponse, type Site, texts } from "../../../ui/index.ts";
import { nameOf } from "../../signin/account/visit.ts";
import type { Forms } from "../../signin/forms.ts";
import { ChooseAccountPage, SignInPage } from "../../signin/pages.tsx";
import type { PasskeyQuestion } from "../../signin/passkeys/passkeys.ts";
import type { Session } from "../../signin/session.ts";
import type { SignInRules } from "../../signin/store.ts";
import type { Trouble } from "../../signin/throttle.ts";
import type { OfferedProvider } from "../../signin/upstream/upstream.ts";
import { allowanceOfSession, type SessionAllowance } from "../clients/consents.store.ts";
import type { AuthorizationRequest, Checked } from "./authorization-request.ts";
import { logWrongAddress, type WrongAddress } from "./checks/wrong-address.ts";
import { ConsentPage } from "./consent-page.tsx";
import { type AskedAccess, nameOfClient, questionOf, sealQuestion } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { logoPath } from "./logo.ts";
import {
  type AuthorizationTarget,
  CHOSEN_ACCOUNT,
  forgottenPathOf,
  signUpPathOf,
  targetText,
  upstreamPath,
  withoutPrompts,
  withPrompt,
} from "./parameters.ts";

interface Ways {
  passkey: PasskeyQuestion | undefined;
  providers: OfferedProvider[];
  /** Undefined: those of an organisation that may not exist. */
  rules: SignInRules | undefined;
  canSendMail: boolean;
}

export interface SignInState {
  username: string;
  /** The box "Keep me signed in". */
  keep?: boolean;
  problem?: string;
  status?: number;
  headers?: Record<string, string>;
}

export function signInPage(
  site: Site,
  language: texts.Language,
  target: AuthorizationTarget,
  checked: AuthorizationRequest,
  { csrf, cookies }: { csrf: string; cookies: string[] },
  { passkey, providers, rules, canSendMail }: Ways,
  { username, keep = false, problem, status, headers }: SignInState,
): Promise<Response> {
  const page = (
    <SignInPage
      site={site}
      language={language}
      application={nameOfClient(checked, language.t)}
      request={targetText(target)}
      csrf={csrf}
      username={username}
      problem={problem}
      passkey={passkey}
      keep={rules?.asksToKeep ? keep : undefined}
      forgottenHref={canSendMail ? site.href(forgottenPathOf(target)) : undefined}
      signUpHref={rules?.hasSignUp && canSendMail ? site.href(signUpPathOf(target)) : undefined}
      providers={providers.map(({ id, name }) => ({ name, href: site.href(upstreamPath(id, target)) }))}
    />
  );
  return pageResponse(page, { status, headers, cookies, endsElsewhere: true });
}

export function consentPage(
  { endpoints: { site }, forms }: { endpoints: { site: Site }; forms: Forms },
  request: Request,
  checked: Checked,
  session: Session,
  asked: AskedAccess,
  trouble?: Trouble,
): Promise<Response> {
  const { target } = checked;
  const { csrf, cookies } = forms.protect(request, session);
  const logo = logoPath(forms, csrf, checked.client, session);
  const language = texts.speak(request);
  const page = (
    <ConsentPage
      {...questionOf(checked, session, asked, language)}
      site={site}
      language={language}
      problem={trouble?.problem}
      request={targetText(target)}
      csrf={csrf}
      shown={sealQuestion(forms, csrf, checked, session, asked, language)}
      logoHref={logo && site.href(logo)}
      switchHref={href(site, target, withPrompt(target.parameters, "login"))}
    />
  );
  return pageResponse(page, { status: trouble?.status, cookies, endsElsewhere: true });
}

/** The log and the client's administrators get all details; other visitors only a reference. */
export async function wrongAddressPage(
  { endpoints: { site }, sessions, log }: Pick<AuthorizeDependencies, "endpoints" | "sessions" | "log">,
  request: Request,
  wrong: WrongAddress,
): Promise<Response> {
  const { client, clientId, sent = "", reason } = wrong;
  const reference = contextOf(request).key;
  logWrongAddress(log, request, wrong);
  const columns = (sql: Queries) => allowanceOfSession(sql, client!.tenantId, client!.id);
  const session = client && (await sessions.findStarted<SessionAllowance>(request, columns));
  const isAdministrator =
    session !== undefined &&
    session.tenantId === client?.tenantId &&
    !session.isUnfinished &&
    session.ofRoles.includes("Settings:Read");
  // The chooser would repeat the address.
  const language = texts.withoutChooser(texts.speak(request));
  const { t } = language;
  const page = (
    <MessagePage
      site={site}
      language={language}
      heading={t.errorTitles[404]}
      lines={[t.errors.unknownAddress, texts.fill(t.reference, { key: reference })]}
      details={isAdministrator ? [`redirect_uri is ${sent}`, reason] : []}
      next={
        isAdministrator
          ? { href: site.href(`/settings/applications/${clientId}`), text: t.applicationInSettings }
          : undefined
      }
    />
  );
  return pageResponse(page, { status: wrong.status });
}

export function chooseAccountPage(
  { endpoints: { site }, forms }: Pick<AuthorizeDependencies, "endpoints" | "forms">,
  request: Request,
  checked: Checked,
  session: Session,
): Promise<Response> {
  const { target } = checked;
  const { csrf, cookies } = forms.protect(request, session);
  const chosen = new URLSearchParams({ [CHOSEN_ACCOUNT]: forms.sealShown(csrf, shownAccount(session)) });
  const language = texts.speak(request);
  const onward = `${withoutPrompts(target.parameters, ["select_account"])}&${chosen}`;
  const page = (
    <ChooseAccountPage
      site={site}
      language={language}
      application={nameOfClient(checked, language.t)}
      user={nameOf(session, language.t)}
      continueHref={href(site, target, onward)}
      switchHref={href(site, target, withPrompt(target.parameters, "login"))}
    />
  );
  return pageResponse(page, { cookies });
}

const shownAccount = ({ userId, username, name }: Session) => ["account", userId, username, name] as const;

/** Whether the session is the account that the user chose, if the account was a choice. */
export function isChosen(forms: Forms, request: Request, session: Session): boolean {
  const seal = requestUrl(request).searchParams.get(CHOSEN_ACCOUNT);
  return seal === null || forms.hasShown(forms.protect(request, session).csrf, seal, shownAccount(session));
}

const href = (site: Site, { path }: AuthorizationTarget, query: string) => site.href(`${path}?${query}`);
