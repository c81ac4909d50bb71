import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import { NameAndPassword } from "./name-and-password.tsx";
import type { Site } from "./site.ts";

export interface SignInProps {
  site: Site;
  /** Where the form goes; a path of ours. */
  action?: string;
  /** Whose users sign in here; "" if it has no name. */
  application: string;
  /** The authorization request to go on with. */
  request: string;
  csrf: string;
  /** What was typed before, or hinted at. */
  username: string;
  /** Why the last attempt failed. */
  problem?: string;
  /** Who else can sign the user in. */
  providers?: { name: string; href: string }[];
}

/** The form has one submit button, so that scripts can find it; other ways stand outside. */
export function SignInPage(props: SignInProps): JSX.Element {
  const { site, action = "/signin", application, request, csrf, username, problem, providers = [] } = props;
  return (
    <Layout site={site} title={problem ? "Error: Sign in" : "Sign in"}>
      <h1>Sign in</h1>
      <p class="lead">
        to continue to <strong safe>{application || "the application"}</strong>
      </p>
      {problem ? (
        <p id="problem" class="problem" role="alert" safe>
          {problem}
        </p>
      ) : (
        ""
      )}
      <form method="post" action={site.href(action)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <NameAndPassword username={username} problem={problem} />
        <button type="submit">Sign in</button>
      </form>
      {providers.length > 0 ? (
        <section class="accounts others" aria-label="Other ways to sign in">
          {providers.map(({ name, href }) => (
            <a class="button outline" href={attribute(href)} safe>
              {`Sign in with ${name}`}
            </a>
          ))}
        </section>
      ) : (
        ""
      )}
    </Layout>
  );
}
