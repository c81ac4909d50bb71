import { Layout } from "./layout.tsx";
import type { Site } from "./site.ts";

export interface MessageProps {
  site: Site;
  heading: string;
  lines: string[];
}

/** A page that only says something: an error, or that somebody is signed out. */
export function MessagePage({ site, heading, lines }: MessageProps): JSX.Element {
  return (
    <Layout site={site} title={heading}>
      <h1 safe>{heading}</h1>
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
    </Layout>
  );
}
