import { Ask, CardPage, Time } from "../../../ui/index.ts";
import { deviceOf } from "../device-name.ts";
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

export interface AccountProps extends ProvidersSectionProps {
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
  const { site, user, organisation, notice } = props;
  return (
    <CardPage site={site} title="Your account" script="time.js" wide organisation={organisation}>
      <h1>Your account</h1>
      <p class="lead">
        You are signed in as <strong safe>{user}</strong> at <strong safe>{organisation}</strong>.{" "}
        <a href={site.href("/oauth2/logout")}>Sign out</a>
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
      <SecondFactorSection {...props} />
      <ProvidersSection {...props} />
      <SessionsSection {...props} />
      <ApplicationsSection {...props} />
      <section>
        <h2>Your data</h2>
        <p>All data about you, as a file.</p>
        <a class="button outline" href={site.href("/account/data")}>
          Download my data
        </a>
      </section>
    </CardPage>
  );
}

function AddressSection({ site, csrf, address: own }: AccountProps): JSX.Element {
  const { address, isVerified, canVerify, canChange } = own;
  if (!address && !canChange) return "";
  return (
    <section>
      <h2>Mail address</h2>
      {address ? (
        <p>
          <strong class="address" safe>
            {address}
          </strong>{" "}
          <span class="badge">{isVerified ? "verified" : "not verified"}</span>
        </p>
      ) : (
        <p>None. Without a verified address you cannot get a mail to set a new password.</p>
      )}
      <div class="actions">
        {canVerify ? (
          <form method="post" action={site.href(VERIFY_PATH)}>
            <input type="hidden" name="csrf" value={csrf} />
            <button type="submit" class="outline">
              Send a link to verify it
            </button>
          </form>
        ) : (
          ""
        )}
        {canChange ? (
          <a class="button outline" href={site.href(CHANGE_PATH)}>
            {address ? "Change it" : "Add an address"}
          </a>
        ) : (
          ""
        )}
      </div>
    </section>
  );
}

function PasswordSection({ site, hasPassword }: AccountProps): JSX.Element {
  if (!hasPassword) return "";
  return (
    <section>
      <h2>Password</h2>
      <a class="button outline" href={site.href("/account/password")}>
        Change password
      </a>
    </section>
  );
}

function SecondFactorSection({ site, factor }: AccountProps): JSX.Element {
  if (!factor) {
    return (
      <section>
        <h2>Second factor</h2>
        <p>With an authenticator app, your password alone is not enough to sign in.</p>
        <a class="button outline" href={site.href("/account/second-factor")}>
          Set up an authenticator
        </a>
      </section>
    );
  }
  const left = factor.recoveryCodes === 1 ? "1 recovery code is" : `${factor.recoveryCodes} recovery codes are`;
  return (
    <section>
      <h2>Second factor</h2>
      <p>
        Your authenticator app is set up since <Time at={factor.since} day />. <span safe>{`${left} left.`}</span>
      </p>
      <div class="actions">
        <a class="button outline" href={site.href("/account/recovery-codes")}>
          New recovery codes
        </a>
        <a class="button outline" href={site.href("/account/second-factor/remove")}>
          Remove
        </a>
      </div>
    </section>
  );
}

function SessionsSection({ site, csrf, sessions, current }: AccountProps): JSX.Element {
  return (
    <section>
      <h2>Where you are signed in</h2>
      <ul class="rows">
        {sessions.map(({ id, userAgent, address, startedOn, lastSeen }) => (
          <li>
            <div>
              <strong safe>{deviceOf(userAgent)}</strong>
              {id === current ? <span class="badge">this browser</span> : ""}
              <small>
                <span safe>{address}</span> · signed in <Time at={startedOn} /> · last seen <Time at={lastSeen} />
              </small>
            </div>
            {id === current ? (
              ""
            ) : (
              <Ask
                id={`sign-out-${id}`}
                label="Sign out"
                kind="outline"
                about={deviceOf(userAgent)}
                question={`Sign out ${deviceOf(userAgent)}?`}
                effects={["That browser must sign in again.", "The applications used in it lose their access."]}
                confirm="Sign that browser out"
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
          label="Sign out everywhere else"
          kind="outline"
          question="Sign out everywhere else?"
          effects={["Every other browser must sign in again.", "The applications used in them lose their access."]}
          confirm="Sign out the others"
          keep="Keep them"
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

function ApplicationsSection({ site, csrf, applications }: AccountProps): JSX.Element {
  return (
    <section>
      <h2>Applications</h2>
      {applications.length === 0 ? (
        <p>No application can act on your behalf.</p>
      ) : (
        <ul class="rows">
          {applications.map(({ clientId, name, wants, isConsented, grantedOn, lastUsedOn }) => (
            <li>
              <div>
                <strong safe>{name || "An application"}</strong>
                <small>
                  <span safe>{`may ${wants.join(", ")}`}</span> · since <Time at={grantedOn} day />
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
                id={`revoke-${clientId}`}
                label="Revoke"
                kind="outline"
                about={name}
                question={`Revoke the access of ${name || "this application"}?`}
                effects={[
                  "It gets no more access on your behalf, and its current access ends. A service that does not check for revoked tokens may accept them until they expire, at most a day.",
                  isConsented
                    ? "It asks you again the next time you use it."
                    : "It belongs to your organisation: it does not ask when you sign in again.",
                ]}
                confirm="Revoke the access"
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
