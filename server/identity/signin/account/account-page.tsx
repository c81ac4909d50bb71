import { Ask, CardPage, Text, Time, texts } from "../../../ui/index.ts";
import { deviceOf } from "../device-name.ts";
import { PasskeysSection, type PasskeysSectionProps } from "../passkeys/pages.tsx";
import type { EnrolledFactor } from "../second-factor/store.ts";
import { CHANGE_PATH, type OwnAddress, VERIFY_PATH } from "./own-address.ts";
import { ProvidersSection, type ProvidersSectionProps } from "./providers/pages.tsx";
import type { ListedSession } from "./store.ts";

export interface AllowedApplication {
  clientId: number;
  name: string;
  wants: string[];
  isConsented: boolean;
  grantedOn: Date;
  /** null: it holds no usable grant. */
  lastUsedOn: Date | null;
}

export interface AccountProps extends ProvidersSectionProps, PasskeysSectionProps {
  user: string;
  organisation: string;
  notice?: string;
  address: OwnAddress;
  factor: EnrolledFactor | undefined;
  sessions: ListedSession[];
  /** The Id of this browser's session. */
  current: string;
  applications: AllowedApplication[];
}

export function AccountPage(props: AccountProps): JSX.Element {
  const { site, language, user, organisation, notice } = props;
  const { t } = language;
  return (
    <CardPage {...{ site, language, organisation }} title={t.accountTitle} script="time.js" wide>
      <h1 safe>{t.accountTitle}</h1>
      <p class="lead">
        <texts.Say text={t.signedInAt} values={{ user, organisation }} />{" "}
        <a href={site.href("/oauth2/logout")} safe>
          {t.signOut}
        </a>
      </p>
      {notice ? (
        <p class="notice" role="status" safe>
          {notice}
        </p>
      ) : (
        ""
      )}
      <AddressSection {...props} />
      <PasswordSection {...props} />
      <PasskeysSection {...props} />
      <SecondFactorSection {...props} />
      <ProvidersSection {...props} />
      <SessionsSection {...props} />
      <ApplicationsSection {...props} />
      <section>
        <h2 safe>{t.yourData}</h2>
        <p safe>{t.yourDataLead}</p>
        <a class="button outline" href={site.href("/account/data")} safe>
          {t.downloadData}
        </a>
      </section>
    </CardPage>
  );
}

function AddressSection({ site, language: { t }, csrf, address: own }: AccountProps): JSX.Element {
  const { address, isVerified, canVerify, canChange } = own;
  if (!address && !canChange) return "";
  return (
    <section>
      <h2 safe>{t.mailAddress}</h2>
      {address ? (
        <p>
          <strong class="address" safe>
            {address}
          </strong>{" "}
          <span class="badge" safe>
            {isVerified ? t.verified : t.notVerified}
          </span>
        </p>
      ) : (
        <p safe>{t.noAddress}</p>
      )}
      <div class="actions">
        {canVerify ? (
          <form method="post" action={site.href(VERIFY_PATH)}>
            <input type="hidden" name="csrf" value={csrf} />
            <button type="submit" class="outline" safe>
              {t.verifyAddress}
            </button>
          </form>
        ) : (
          ""
        )}
        {canChange ? (
          <a class="button outline" href={site.href(CHANGE_PATH)} safe>
            {address ? t.changeIt : t.addAddress}
          </a>
        ) : (
          ""
        )}
      </div>
    </section>
  );
}

function PasswordSection({ site, language: { t }, hasPassword }: AccountProps): JSX.Element {
  if (!hasPassword) return "";
  return (
    <section>
      <h2 safe>{t.password}</h2>
      <a class="button outline" href={site.href("/account/password")} safe>
        {t.changePassword}
      </a>
    </section>
  );
}

function SecondFactorSection({ site, language: { t, locale }, factor }: AccountProps): JSX.Element {
  if (!factor) {
    return (
      <section>
        <h2 safe>{t.secondFactor}</h2>
        <p safe>{t.noFactor}</p>
        <a class="button outline" href={site.href("/account/second-factor")} safe>
          {t.setUpAuthenticator}
        </a>
      </section>
    );
  }
  return (
    <section>
      <h2 safe>{t.secondFactor}</h2>
      <p>
        <texts.Insert text={t.factorSince} values={{ time: <Time at={factor.since} day locale={locale} /> }} />{" "}
        <Text text={texts.plural(locale, t.codesLeft, factor.recoveryCodes)} />
      </p>
      <div class="actions">
        <a class="button outline" href={site.href("/account/recovery-codes")} safe>
          {t.newCodes}
        </a>
        <a class="button outline" href={site.href("/account/second-factor/remove")} safe>
          {t.remove}
        </a>
      </div>
    </section>
  );
}

function SessionsSection({ site, language: { t, locale }, csrf, sessions, current }: AccountProps): JSX.Element {
  return (
    <section>
      <h2 safe>{t.whereSignedIn}</h2>
      <ul class="rows">
        {sessions.map(({ id, userAgent, address, startedOn, lastSeen }) => (
          <li>
            <div>
              <strong safe>{deviceOf(userAgent, t)}</strong>
              {id === current ? (
                <span class="badge" safe>
                  {t.thisBrowser}
                </span>
              ) : (
                ""
              )}
              <small>
                <bdi safe>{address}</bdi> ·{" "}
                <texts.Insert text={t.signedInOn} values={{ time: <Time at={startedOn} locale={locale} /> }} /> ·{" "}
                <texts.Insert text={t.lastSeen} values={{ time: <Time at={lastSeen} locale={locale} /> }} />
              </small>
            </div>
            {id === current ? (
              ""
            ) : (
              <Ask
                id={`sign-out-${id}`}
                label={t.signOut}
                kind="outline"
                about={deviceOf(userAgent, t)}
                question={texts.fill(t.endSessionQuestion, { device: deviceOf(userAgent, t) })}
                effects={[t.thatBrowserAgain, t.thatBrowsersApplications]}
                confirm={t.endSession}
                keep={t.keepIt}
                action={site.href("/account/sessions/end")}
                csrf={csrf}
                fields={{ session: id }}
              />
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <Ask
          id="sign-out-others"
          label={t.endSessions}
          kind="outline"
          question={t.endSessionsQuestion}
          effects={[t.otherBrowsersAgain, t.otherBrowsersApplications]}
          confirm={t.endOthers}
          keep={t.keepThem}
          action={site.href("/account/sessions/end")}
          csrf={csrf}
          fields={{ session: "others" }}
        />
      ) : (
        ""
      )}
    </section>
  );
}

/** Commas only: the wants are sentences of their own. */
const LIST = { type: "unit", style: "short" } as const;

function ApplicationsSection({ site, language: { t, locale }, csrf, applications }: AccountProps): JSX.Element {
  return (
    <section>
      <h2 safe>{t.applications}</h2>
      {applications.length === 0 ? (
        <p safe>{t.noApplications}</p>
      ) : (
        <ul class="rows">
          {applications.map(({ clientId, name, wants, isConsented, grantedOn, lastUsedOn }) => (
            <li>
              <div>
                <strong safe>{name || t.anApplication}</strong>
                <small>
                  <Text
                    text={texts.fill(t.applicationMay, { wants: new Intl.ListFormat(locale, LIST).format(wants) })}
                  />{" "}
                  · <texts.Insert text={t.since} values={{ time: <Time at={grantedOn} day locale={locale} /> }} />
                  {lastUsedOn ? (
                    <>
                      {" "}
                      · <texts.Insert text={t.lastUsed} values={{ time: <Time at={lastUsedOn} locale={locale} /> }} />
                    </>
                  ) : (
                    ""
                  )}
                </small>
              </div>
              <Ask
                id={`revoke-${clientId}`}
                label={t.revoke}
                kind="outline"
                about={name}
                question={texts.fill(t.revokeQuestion, { application: name || t.thisApplication })}
                effects={[t.revokeEffect, isConsented ? t.asksAgain : t.asksNot]}
                confirm={t.revokeAccess}
                keep={t.keepIt}
                action={site.href("/account/grants/revoke")}
                csrf={csrf}
                fields={{ client_id: String(clientId) }}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
