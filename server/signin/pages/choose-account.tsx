import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface ChooseAccountProps {
  site: Site;
  application: string;
  user: string;
  /** Where to go on as that user. */
  continueHref: string;
  /** Where to sign in as somebody else. */
  switchHref: string;
}

export function ChooseAccountPage({ site, application, user, ...links }: ChooseAccountProps): JSX.Element {
  return (
    <Layout site={site} title="Choose an account">
      <h1>Choose an account</h1>
      <p class="lead">
        to continue to <strong safe>{application || "the application"}</strong>
      </p>
      <div class="accounts">
        <a class="button" href={attribute(links.continueHref)} safe>
          {`Continue as ${user}`}
        </a>
        <a class="button outline" href={attribute(links.switchHref)}>
          Use another account
        </a>
      </div>
    </Layout>
  );
}
