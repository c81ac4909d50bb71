import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface MessageProps {
  site: Site;
  heading: string;
  lines: string[];
  /** Where to go from here. */
  next?: { href: string; text: string };
}

/** A page that only says something: an error, or that somebody is signed out. */
export function MessagePage({ site, heading, lines, next }: MessageProps): JSX.Element {
  return (
    <Layout site={site} title={heading}>
      <h1 safe>{heading}</h1>
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
      {next ? (
        <p>
          <a href={next.href} safe>
            {next.text}
          </a>
        </p>
      ) : (
        ""
      )}
    </Layout>
  );
}
