import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface UpstreamProblemProps {
  site: Site;
  provider: string;
  /** What happened. */
  line: string;
  /** The ways that are left. */
  links: { href: string; text: string }[];
}

/** A sign-in at a provider that came to nothing. */
export function UpstreamProblemPage({ site, provider, line, links }: UpstreamProblemProps): JSX.Element {
  return (
    <Layout site={site} title="Sign-in did not work">
      <h1>Sign-in did not work</h1>
      <p>
        You are not signed in with <strong safe>{provider}</strong>.
      </p>
      <p safe>{line}</p>
      <div class="accounts">
        {links.map(({ href, text }) => (
          <a class="button outline" href={attribute(href)} safe>
            {text}
          </a>
        ))}
      </div>
    </Layout>
  );
}
