import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface SignOutProps {
  site: Site;
  user: string;
  /** The logout request to go on with. */
  request: string;
  csrf: string;
}

export function SignOutPage({ site, user, request, csrf }: SignOutProps): JSX.Element {
  return (
    <Layout site={site} title="Sign out">
      <h1>Sign out</h1>
      <p>
        You are signed in as <strong safe>{user}</strong>. Sign out in this browser?
      </p>
      <form method="post" action={site.href("/signout")}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <button type="submit">Sign out</button>
      </form>
    </Layout>
  );
}
