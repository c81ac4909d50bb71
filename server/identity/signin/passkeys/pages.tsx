// The form that a passkey answers, and the account's list of passkeys.

import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { Ask, attribute, CardPage, Problem, type Site, Time } from "../../../ui/index.ts";
import type { PasskeyQuestion } from "./passkeys.ts";
import type { Passkey } from "./store.ts";

export interface PasskeyFormProps {
  site: Site;
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
  const { site, action, csrf, question, kind, button, isOutlined, fields = {} } = props;
  const hidden = { csrf, challenge: question.challenge, sealed: question.sealed, ...fields, credential: "" };
  return (
    <form
      method="post"
      action={site.href(action)}
      data-passkey={kind}
      data-options={attribute(JSON.stringify(question.options))}
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
  csrf: string;
  passkeys: Passkey[];
}

export function PasskeysSection({ site, csrf, passkeys }: PasskeysSectionProps): JSX.Element {
  return (
    <section>
      <h2>Passkeys</h2>
      {passkeys.length === 0 ? (
        <p>Sign in with your fingerprint, your face or the PIN of your device, without a password.</p>
      ) : (
        <ul class="rows">
          {passkeys.map(({ id, name, isSynced, createdOn, lastUsedOn }) => (
            <li>
              <div>
                <strong safe>{name}</strong>
                <small>
                  {isSynced ? "synced between devices" : "only on this device"} · added <Time at={createdOn} day />
                  {lastUsedOn ? (
                    <>
                      {" "}
                      · last used <Time at={lastUsedOn} />
                    </>
                  ) : (
                    ""
                  )}
                </small>
              </div>
              <Ask
                id={`remove-${id}`}
                label="Remove"
                kind="outline"
                about={name}
                question={`Remove the passkey ${name}?`}
                effects={["You can no longer sign in with it.", "Delete it on your device as well."]}
                confirm="Remove the passkey"
                action={site.href("/account/passkeys/remove")}
                csrf={csrf}
                fields={{ passkey: id }}
              />
            </li>
          ))}
        </ul>
      )}
      <a class="button outline" href={site.href("/account/passkeys/add")}>
        Add a passkey
      </a>
    </section>
  );
}

export interface NewPasskeyProps {
  site: Site;
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
  const { site, csrf, organisation, question, problem, action, fields = {}, isOffer, back } = props;
  const heading = isOffer ? "Sign in faster next time" : "Add a passkey";
  return (
    <CardPage
      site={site}
      title={problem ? `Error: ${heading}` : heading}
      organisation={organisation}
      script="passkey.js"
    >
      <h1 safe>{heading}</h1>
      <p class="lead">
        {isOffer === false ? "Your organisation requires a passkey. " : ""}
        {isOffer ? "With a passkey you sign in by fingerprint, face or PIN, without a password. " : ""}
        Your browser asks where to keep it: on this device, on a phone, or on a security key.
      </p>
      <Problem text={problem} />
      {question ? (
        <PasskeyForm {...{ site, csrf, question, action, fields }} kind="new" button="Create a passkey" />
      ) : (
        <p>Passkeys need an address with a name: open this service by its name instead of its IP address.</p>
      )}
      {isOffer ? (
        <form method="post" action={site.href(action)}>
          {Object.entries({ csrf, ...fields, later: "true" }).map(([name, value]) => (
            <input type="hidden" name={name} value={attribute(value)} />
          ))}
          <button type="submit" class="outline">
            Not now
          </button>
        </form>
      ) : (
        ""
      )}
      <p class="note" data-without-passkeys hidden={question !== undefined}>
        This browser has no passkeys. Use a newer one, or another device.
      </p>
      <noscript>
        <p class="note">A passkey can only be created with JavaScript. Allow it for this page.</p>
      </noscript>
      <p class="note">
        <a href={attribute(back.href)} safe>
          {back.text}
        </a>
      </p>
    </CardPage>
  );
}
