import { attribute } from "../pages/attribute.ts";
import { Layout } from "../pages/layout.tsx";
import { Problem } from "../pages/problem.tsx";
import type { Site } from "../pages/site.ts";
import { PASSWORD_LENGTH } from "../password-rules.ts";
import { CodeField, PasswordField } from "../second-factor/pages.tsx";

interface FormProps {
  site: Site;
  csrf: string;
  problem?: string;
}

export interface ChangePasswordProps extends FormProps {
  username: string;
}

export function ChangePasswordPage({ site, csrf, problem, username }: ChangePasswordProps): JSX.Element {
  return (
    <Layout site={site} title={problem ? "Error: Change your password" : "Change your password"}>
      <h1>Change your password</h1>
      <p class="lead">A new password signs you out everywhere but here.</p>
      <Problem text={problem} />
      <form method="post" action={site.href("/account/password")}>
        <input type="hidden" name="csrf" value={csrf} />
        <Username username={username} />
        <PasswordField problem={problem} />
        <NewPasswordField problem={problem} />
        <button type="submit">Change password</button>
      </form>
      <BackLink site={site} />
    </Layout>
  );
}

export interface ResetPasswordProps extends ChangePasswordProps {
  token: string;
}

/** Where a one-time link leads. */
export function ResetPasswordPage({ site, csrf, problem, username, token }: ResetPasswordProps): JSX.Element {
  return (
    <Layout site={site} title={problem ? "Error: Choose a password" : "Choose a password"}>
      <h1>Choose a password</h1>
      <p class="lead">
        for <strong safe>{username}</strong>. Setting it signs you out everywhere.
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href("/account/reset")}>
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="token" value={attribute(token)} />
        <Username username={username} />
        <NewPasswordField problem={problem} />
        <button type="submit">Set password</button>
      </form>
    </Layout>
  );
}

export interface ConfirmProps extends FormProps {
  action: string;
  heading: string;
  lead: string;
  button: string;
  asksPassword: boolean;
}

/** Asks for what only the owner has, before the second factor or its recovery codes go. */
export function ConfirmPage(props: ConfirmProps): JSX.Element {
  const { site, csrf, problem, action, heading, lead, button, asksPassword } = props;
  return (
    <Layout site={site} title={problem ? `Error: ${heading}` : heading}>
      <h1 safe>{heading}</h1>
      <p class="lead" safe>
        {lead}
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="csrf" value={csrf} />
        {asksPassword ? <PasswordField problem={problem} /> : ""}
        <CodeField label="A code of your app, or a recovery code" problem={problem} />
        <button type="submit" safe>
          {button}
        </button>
      </form>
      <BackLink site={site} />
    </Layout>
  );
}

/** Not shown: password managers look for it. */
function Username({ username }: { username: string }): JSX.Element {
  return <input type="text" name="username" value={attribute(username)} autocomplete="username" readonly hidden />;
}

function NewPasswordField({ problem }: Pick<FormProps, "problem">): JSX.Element {
  const { least, most } = PASSWORD_LENGTH;
  return (
    <>
      <label for="new-password">New password</label>
      <input
        id="new-password"
        name="new_password"
        type="password"
        autocomplete="new-password"
        required
        aria-describedby={problem ? "problem rule" : "rule"}
        aria-invalid={problem ? "true" : undefined}
      />
      <small id="rule" safe>{`${least} to ${most} characters of any kind; several words make a good one.`}</small>
    </>
  );
}

function BackLink({ site }: Pick<FormProps, "site">): JSX.Element {
  return (
    <p class="note">
      <a href={site.href("/account")}>Back to your account</a>
    </p>
  );
}
