import { attribute } from "./attribute.ts";
import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface UpstreamProblemProps {
  site: Site;
  /** What came to nothing. */
  purpose: "sign-in" | "linking";
  provider: string;
  /** What happened. */
  line: string;
  /** The ways that are left. */
  links: { href: string; text: string }[];
}

/** A way to a provider and back that came to nothing. */
export function UpstreamProblemPage({ site, purpose, provider, line, links }: UpstreamProblemProps): JSX.Element {
  const heading = purpose === "sign-in" ? "Sign-in did not work" : "Linking did not work";
  const outcome = purpose === "sign-in" ? "You are not signed in with " : "Your account is not linked with ";
  return (
    <Layout site={site} title={heading}>
      <h1 safe>{heading}</h1>
      <p>
        <span safe>{outcome}</span>
        <strong safe>{provider}</strong>.
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
