// The form that a passkey answers, and the account's list of passkeys.

import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { Ask, attribute, CardPage, Problem, type Site, Text, Time, texts } from "../../../ui/index.ts";
import type { PasskeyQuestion } from "./passkeys.ts";
import type { Passkey } from "./store.ts";

export interface PasskeyFormProps {
  site: Site;
  t: texts.Texts;
  action: string;
  csrf: string;
  question: PasskeyQuestion | PasskeyQuestion<PublicKeyCredentialCreationOptionsJSON>;
  /** `offered`: the browser also offers passkeys in the user name's field. */
  kind: "offered" | "asked" | "new";
  button: string;
  isOutlined?: boolean;
  /** Further hidden fields. */
  fields?: Record<string, string>;
}

/** Hidden without script, and in browsers without passkeys. The page needs the script `passkey.js`. */
export function PasskeyForm(props: PasskeyFormProps): JSX.Element {
  const { site, t, action, csrf, question, kind, button, isOutlined, fields = {} } = props;
  const hidden = { csrf, challenge: question.challenge, sealed: question.sealed, ...fields, credential: "" };
  return (
    <form
      method="post"
      action={site.href(action)}
      data-passkey={kind}
      data-options={attribute(JSON.stringify(question.options))}
      data-already={attribute(t.passkeyAlready)}
      data-cancelled={attribute(kind === "new" ? t.newPasskeyCancelled : t.passkeyCancelled)}
      hidden
    >
      <p class="problem" role="alert" hidden></p>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={attribute(value)} />
      ))}
      <button type="submit" class={isOutlined ? "outline" : undefined} safe>
        {button}
      </button>
    </form>
  );
}

export interface PasskeysSectionProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  passkeys: Passkey[];
}

export function PasskeysSection({ site, language, csrf, passkeys }: PasskeysSectionProps): JSX.Element {
  const { t, locale } = language;
  return (
    <section>
      <h2 safe>{t.passkeys}</h2>
      {passkeys.length === 0 ? (
        <p safe>{t.noPasskeys}</p>
      ) : (
        <ul class="rows">
          {passkeys.map(({ id, name, isSynced, createdOn, lastUsedOn }) => (
            <li>
              <div>
                <strong safe>{name}</strong>
                <small>
                  <Text text={isSynced ? t.passkeySynced : t.passkeyHere} /> ·{" "}
                  <texts.Insert text={t.added} values={{ time: <Time at={createdOn} day locale={locale} /> }} />
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
                id={`remove-${id}`}
                label={t.remove}
                kind="outline"
                about={name}
                question={texts.fill(t.removePasskeyQuestion, { name })}
                effects={[t.noSignInWithIt, t.deleteOnDevice]}
                confirm={t.removePasskey}
                keep={t.keepIt}
                action={site.href("/account/passkeys/remove")}
                csrf={csrf}
                fields={{ passkey: id }}
              />
            </li>
          ))}
        </ul>
      )}
      <a class="button outline" href={site.href("/account/passkeys/add")} safe>
        {t.addPasskey}
      </a>
    </section>
  );
}

export interface NewPasskeyProps {
  site: Site;
  language: texts.Language;
  csrf: string;
  organisation: string;
  question: PasskeyQuestion<PublicKeyCredentialCreationOptionsJSON> | undefined;
  problem: string | undefined;
  action: string;
  /** Further hidden fields. */
  fields?: Record<string, string>;
  /** In a sign-in: false, the organisation requires one; true, the user may do it later. */
  isOffer?: boolean;
  back: { href: string; text: string };
}

export function NewPasskeyPage(props: NewPasskeyProps): JSX.Element {
  const { site, language, csrf, organisation, question, problem, action, fields = {}, isOffer, back } = props;
  const { t } = language;
  const heading = isOffer ? t.passkeyOffer : t.addPasskey;
  return (
    <CardPage {...{ site, language, organisation, problem }} title={heading} script="passkey.js">
      <h1 safe>{heading}</h1>
      <p class="lead" safe>
        {`${isOffer === undefined ? "" : isOffer ? t.passkeyOfferLead : t.passkeyRequired} ${t.newPasskeyLead}`}
      </p>
      <Problem text={problem} />
      {question ? (
        <PasskeyForm {...{ site, t, csrf, question, action, fields }} kind="new" button={t.createPasskey} />
      ) : (
        <p safe>{t.passkeyNeedsName}</p>
      )}
      {isOffer ? (
        <form method="post" action={site.href(action)}>
          {Object.entries({ csrf, ...fields, later: "true" }).map(([name, value]) => (
            <input type="hidden" name={name} value={attribute(value)} />
          ))}
          <button type="submit" class="outline" safe>
            {t.notNow}
          </button>
        </form>
      ) : (
        ""
      )}
      <p class="note" data-without-passkeys hidden={question !== undefined} safe>
        {t.passkeyNoBrowser}
      </p>
      <noscript>
        <p class="note" safe>
          {t.newPasskeyNeedsScript}
        </p>
      </noscript>
      <p class="note">
        <a href={attribute(back.href)} safe>
          {back.text}
        </a>
      </p>
    </CardPage>
  );
}
