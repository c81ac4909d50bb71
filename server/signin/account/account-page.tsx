import { attribute } from "../pages/attribute.ts";
import { Layout } from "../pages/layout.tsx";
import type { EnrolledFactor } from "../second-factor/store.ts";
import { deviceOf } from "./device.ts";
import { ProvidersSection, type ProvidersSectionProps } from "./providers/pages.tsx";
import type { ListedSession } from "./store.ts";
import { day, moment } from "./times.ts";

/** What a user has allowed an application, in words. */
export interface AllowedApplication {
  clientId: number;
  name: string;
  wants: string[];
  grantedOn: Date;
}

export interface AccountProps extends ProvidersSectionProps {
  user: string;
  /** What has just been done. */
  told?: string;
  factor: EnrolledFactor | undefined;
  sessions: ListedSession[];
  /** The Id of this browser's. */
  current: string;
  applications: AllowedApplication[];
}

/** One section for each thing that users look after themselves. */
export function AccountPage(props: AccountProps): JSX.Element {
  const { site, user, told } = props;
  return (
    <Layout site={site} title="Your account" wide>
      <h1>Your account</h1>
      <p class="lead">
        You are signed in as <strong safe>{user}</strong>. <a href={site.href("/oauth2/logout")}>Sign out</a>
      </p>
      {told ? (
        <p class="told" role="status" safe>
          {told}
        </p>
      ) : (
        ""
      )}
      <PasswordSection {...props} />
      <SecondFactorSection {...props} />
      <ProvidersSection {...props} />
      <SessionsSection {...props} />
      <ApplicationsSection {...props} />
    </Layout>
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
        <p>With an authenticator app, nobody can sign in with your password alone.</p>
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
      <p safe>{`Your authenticator app is set up since ${day(factor.since)}. ${left} left.`}</p>
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
              <small safe>{`${address} · signed in ${moment(startedOn)} · last seen ${moment(lastSeen)}`}</small>
            </div>
            {id === current ? (
              ""
            ) : (
              <form method="post" action={site.href("/account/sessions/end")}>
                <input type="hidden" name="csrf" value={csrf} />
                <input type="hidden" name="session" value={id} />
                <button type="submit" class="outline" aria-label={attribute(`Sign out ${deviceOf(userAgent)}`)}>
                  Sign out
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <form method="post" action={site.href("/account/sessions/end")}>
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="session" value="others" />
          <button type="submit" class="outline">
            Sign out everywhere else
          </button>
        </form>
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
        <p>You have allowed no application anything.</p>
      ) : (
        <ul class="rows">
          {applications.map(({ clientId, name, wants, grantedOn }) => (
            <li>
              <div>
                <strong safe>{name || "An application"}</strong>
                <small safe>{`may ${wants.join(", ")} · since ${day(grantedOn)}`}</small>
              </div>
              <form method="post" action={site.href("/account/consents/revoke")}>
                <input type="hidden" name="csrf" value={csrf} />
                <input type="hidden" name="client_id" value={String(clientId)} />
                <button type="submit" class="outline" aria-label={attribute(`Revoke the access of ${name}`)}>
                  Revoke
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
