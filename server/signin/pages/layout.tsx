import type { Children } from "@kitajs/html";
import type { Site } from "./site.ts";

export interface LayoutProps {
  site: Site;
  title: string;
  children: Children;
  /** A script of ours that the page can do without. */
  script?: "submit.js" | "time.js";
  /** For more than one form. */
  wide?: boolean;
}

/** What all pages share; the heading is the page's own. */
export function Layout({ site, title, children, script, wide }: LayoutProps): JSX.Element {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title safe>{`${title} · Gatehouse`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={site.asset("pico.css")} />
        <link rel="stylesheet" href={site.asset("gatehouse.css")} />
        {script ? <script src={site.asset(script)} defer></script> : ""}
      </head>
      <body>
        <div class={wide ? "gate wide" : "gate"}>
          <header class="brand">
            <Mark />
            <span>Gatehouse</span>
          </header>
          <main class="card">{children as "safe"}</main>
        </div>
      </body>
    </html>
  );
}

/** A gate between two towers. */
export function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <path
        fill="currentColor"
        d="M3 5h3v2h2V5h3v6h10V5h3v2h2V5h3v22h-9v-6a4 4 0 0 0-8 0v6H3V5Zm4 7v4h2v-4H7Zm16 0v4h2v-4h-2Z"
      />
    </svg>
  );
}
