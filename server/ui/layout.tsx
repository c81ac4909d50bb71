// The frame of a page with one thing on it, such as signing in.

import type { Children } from "@kitajs/html";
import type { Site } from "./site.ts";

export interface CardPageProps {
  site: Site;
  title: string;
  children: Children;
  /** A script of ours that the page can do without. */
  script?: "submit.js" | "time.js";
  /** For more than one form. */
  wide?: boolean;
}

/** What all pages share; the heading is the page's own. */
export function CardPage({ site, title, children, script, wide }: CardPageProps): JSX.Element {
  return (
    <html lang="en">
      <Head
        title={title}
        styles={[site.asset("pico.css"), site.asset("gatehouse.css")]}
        scripts={script ? [site.asset(script)] : []}
      />
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

export interface HeadProps {
  title: string;
  /** Where they are. */
  styles: string[];
  scripts: string[];
  /** The last of the scripts reads it, to make styles with. */
  styleNonce?: string;
  children?: Children;
}

export function Head({ title, styles, scripts, styleNonce, children = "" }: HeadProps): JSX.Element {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      {children as "safe"}
      <title safe>{`${title} · Gatehouse`}</title>
      <link rel="icon" href="data:," />
      {styles.map((href) => (
        <link rel="stylesheet" href={href} />
      ))}
      {scripts.map((src) => (
        <script src={src} defer nonce={src === scripts.at(-1) ? styleNonce : undefined}></script>
      ))}
    </head>
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

export interface MessageProps {
  site: Site;
  heading: string;
  lines: string[];
  /** Where to go from here; their own account unless given. */
  next?: { href: string; text: string };
}

/** A page that only says something: an error, or that somebody is signed out. */
export function MessagePage({ site, heading, lines, next }: MessageProps): JSX.Element {
  const { href, text } = next ?? { href: site.href("/account"), text: "Go to your account" };
  return (
    <CardPage site={site} title={heading}>
      <h1 safe>{heading}</h1>
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
      <p>
        <a href={attribute(href)} safe>
          {text}
        </a>
      </p>
    </CardPage>
  );
}

/** Why a form was not taken; its fields name it by `problem`. */
export function Problem({ text }: { text: string | undefined }): JSX.Element {
  if (!text) return "";
  return (
    <p id="problem" class="problem" role="alert" safe>
      {text}
    </p>
  );
}

/** A text as an attribute's value: @kitajs/html escapes its quotes, but leaves `&lt;` to come back as `<`. */
export function attribute(text: string): string {
  return text.replaceAll("&", "&amp;");
}
