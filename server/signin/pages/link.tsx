import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import { NameAndPassword } from "./name-and-password.tsx";
import type { Site } from "./site.ts";

export interface LinkProps {
  site: Site;
  /** The provider that has signed the user in. */
  provider: string;
  /** Whom. */
  there: string;
  /** What the provider calls the account. */
  subject: string;
  /** What the provider calls the user, or was typed before. */
  username: string;
  /** The sign-in to link. */
  link: string;
  csrf: string;
  /** Why the last attempt failed. */
  problem?: string;
  /** Where there is another way: of who has no password here. */
  otherHref: string | undefined;
}

/** Somebody whom a provider has signed in proves, once, to be the owner of an account here. */
export function LinkPage({
  site,
  provider,
  there,
  subject,
  username,
  link,
  csrf,
  problem,
  otherHref,
}: LinkProps): JSX.Element {
  return (
    <Layout site={site} title={problem ? "Error: Link your account" : "Link your account"}>
      <h1>Link your account</h1>
      <p class="lead">
        <span safe>{provider}</span> has signed you in as <strong safe>{there}</strong>, which is not linked with an
        account here yet. Enter the user name and password of your account once; after that, signing in there is enough.
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
        <input type="hidden" name="csrf" value={csrf} />
        <NameAndPassword username={username} problem={problem} />
        <button type="submit">Link and sign in</button>
      </form>
      <p class="note">
        Never had a password here, or is your account at <span safe>{provider}</span> a new one? Ask whoever looks after
        the accounts here to link it with yours. <span safe>{provider}</span> calls it <code safe>{subject}</code>.
      </p>
      {otherHref === undefined ? (
        ""
      ) : (
        <p class="note">
          No password? <a href={attribute(otherHref)}>Sign in another way</a>, and link it on your account page.
        </p>
      )}
    </Layout>
  );
}
