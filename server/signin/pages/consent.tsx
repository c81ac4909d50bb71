import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface ConsentProps {
  site: Site;
  application: string;
  /** What it asks for, in words. */
  wants: string[];
  user: string;
  /** Where the answer goes, such as a host. */
  destination: string;
  request: string;
  csrf: string;
  /** Where to sign in as somebody else. */
  switchHref: string;
}

export function ConsentPage(props: ConsentProps): JSX.Element {
  const { site, application, wants, user, destination, request, csrf, switchHref } = props;
  return (
    <Layout site={site} title="Allow access">
      <h1>Allow access</h1>
      <p class="lead">
        <strong safe>{application || "An application"}</strong> asks to
      </p>
      <ul class="wants">
        {wants.map((want) => (
          <li safe>{want}</li>
        ))}
      </ul>
      <form method="post" action={site.href("/consent")}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <div class="choice">
          <button type="submit" name="decision" value="deny" class="outline">
            Deny
          </button>
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
        </div>
      </form>
      <p class="note">
        Either way you go on to <strong safe>{destination}</strong>. You are signed in as <strong safe>{user}</strong>.{" "}
        <a href={attribute(switchHref)}>Use another account</a>
      </p>
    </Layout>
  );
}
