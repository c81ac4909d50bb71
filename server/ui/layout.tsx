// The layout of single-purpose pages, such as sign-in.

import type { Children } from "@kitajs/html";
import { urlOf } from "../platform/address.ts";
import { sheetOf } from "./colours.ts";
import type { Face, Site } from "./site.ts";
import { LANGUAGE_CODES, LANGUAGE_PATH, LANGUAGES, type Language } from "./texts/language.ts";
import { fill, Say } from "./texts/texts.ts";

export interface CardPageProps {
  site: Site;
  language: Language;
  title: string;
  /** Why the form was rejected: the browser's title begins with it. */
  problem?: string | undefined;
  children: Children;
  script?: "passkey.js" | "submit.js" | "time.js";
  wide?: boolean;
  /** Of the signed-in user. */
  organisation?: string;
}

/** A page of an organisation has its face, if PostgreSQL can be asked. The heading is part of each page. */
export async function CardPage(props: CardPageProps): Promise<string> {
  const { site, language, title, problem, children, script, wide, organisation } = props;
  const face = await site.face().catch(() => undefined);
  return (
    <html lang={language.code} dir={language.direction === "rtl" ? "rtl" : undefined} data-theme={face?.scheme}>
      <Head
        title={problem ? fill(language.t.errorTitle, { title }) : title}
        service={face?.name}
        icon={face?.favicon ?? undefined}
        styles={[site.asset("pico.css"), site.asset("gatehouse.css"), ...coloursOf(site, face), site.asset("card.css")]}
        scripts={script ? [site.asset(script)] : []}
      />
      <body>
        <div class={wide ? "gate wide" : "gate"}>
          <header class="brand">
            {face ? <Logo face={face} /> : <Mark />}
            {face ? "" : <span>Gatehouse</span>}
            {face || organisation === undefined ? (
              ""
            ) : (
              <span class="organisation" safe>
                {organisation}
              </span>
            )}
            {face?.welcome ? (
              <p class="welcome" safe>
                {face.welcome}
              </p>
            ) : (
              ""
            )}
          </header>
          <main class="card">{children as "safe"}</main>
          {face || language.chooser ? (
            <footer>
              {face ? <Owner {...{ site, language, face }} /> : ""}
              <LanguageChooser site={site} language={language} />
            </footer>
          ) : (
            ""
          )}
        </div>
      </body>
    </html>
  );
}

/** The stylesheets of both schemes. */
function coloursOf(site: Site, face: Face | undefined) {
  const [light, dark] = (["light", "dark"] as const).map((scheme) => {
    const sheet = face && sheetOf(scheme, face[scheme]);
    return sheet ? [site.href(sheet)] : [];
  });
  const darkOnes = [site.asset("dark.css"), ...dark!];
  if (face?.scheme === "light") return light!;
  return [...light!, ...darkOnes.map((sheet) => (face?.scheme === "dark" ? sheet : { dark: sheet }))];
}

function Logo({ face: { name, logo, darkLogo, scheme } }: { face: Face }): JSX.Element {
  const shown = scheme === "dark" ? (darkLogo ?? logo) : logo;
  if (!shown) return <span safe>{name}</span>;
  return (
    <picture>
      {darkLogo && !scheme ? <source srcset={darkLogo} media="(prefers-color-scheme: dark)" /> : ""}
      <img class="own-logo" src={shown} alt={name} />
    </picture>
  );
}

/** Under every page with a face, so that no organisation can pass for another or for the installation. */
function Owner({
  site,
  language: { t },
  face,
}: Pick<CardPageProps, "site" | "language"> & { face: Face }): JSX.Element {
  const { tenantName, links } = face;
  return (
    <div class="owner">
      {links.length > 0 ? (
        <p>
          {links.map(({ text, href }, index) => (
            <>
              {index > 0 ? " · " : ""}
              <a href={attribute(href)} rel="noopener noreferrer" safe>
                {t[text]}
              </a>
            </>
          ))}
        </p>
      ) : (
        ""
      )}
      <p>
        <Say text={t.owner.page} values={{ organisation: tenantName, host: urlOf(site.origin).host }} />
      </p>
    </div>
  );
}

/** Each language by its own name, for readers who do not know the page's. */
function LanguageChooser({ site, language: { code: current, t, chooser } }: Pick<CardPageProps, "site" | "language">) {
  if (!chooser) return "";
  return (
    <div class="languages">
      <form method="post" action={site.href(LANGUAGE_PATH)} aria-label={t.language}>
        <input type="hidden" name="page" value={attribute(chooser.page)} />
        <input type="hidden" name="asked" value={chooser.asked} />
        {LANGUAGE_CODES.map((code) => (
          // No button element: the page's own form has the only one, which scripts press.
          <input
            type="submit"
            name="language"
            value={LANGUAGES[code]}
            lang={code}
            aria-current={code === current ? "true" : undefined}
          />
        ))}
      </form>
    </div>
  );
}

export interface HeadProps {
  title: string;
  /** The end of the browser's title. */
  service?: string;
  icon?: string;
  styles: (string | DarkStyles)[];
  scripts: string[];
  /** The last script reads it to insert styles. */
  styleNonce?: string;
  children?: Children;
}

/** A stylesheet for readers who prefer dark pages. */
interface DarkStyles {
  dark: string;
}

export function Head(props: HeadProps): JSX.Element {
  const { title, service = "Gatehouse", icon = FAVICON, styles, scripts, styleNonce, children = "" } = props;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      {children as "safe"}
      <title safe>{`${title} · ${service}`}</title>
      <link rel="icon" href={icon} />
      {styles.map((sheet) =>
        typeof sheet === "string" ? (
          <link rel="stylesheet" href={sheet} />
        ) : (
          <link rel="stylesheet" href={sheet.dark} media="(prefers-color-scheme: dark)" />
        ),
      )}
      {scripts.map((src) => (
        <script src={src} defer nonce={src === scripts.at(-1) ? styleNonce : undefined}></script>
      ))}
    </head>
  );
}

const GATE = "M3 5h3v2h2V5h3v6h10V5h3v2h2V5h3v22h-9v-6a4 4 0 0 0-8 0v6H3V5Zm4 7v4h2v-4H7Zm16 0v4h2v-4h-2Z";

/** The logo: a gate between two towers. */
export function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <path fill="currentColor" d={GATE} />
    </svg>
  );
}

/** The logo in white on blue, because a tab may be light or dark. */
const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4f8f"/>' +
    `<path fill="#fff" transform="translate(4.8 4.4) scale(.7)" d="${GATE}"/></svg>`,
)}`;

export interface MessageProps {
  site: Site;
  language: Language;
  heading: string;
  lines: string[];
  /** For administrators and developers, in English. */
  details?: string[];
  /** The link below the message; default: the account page. */
  next?: { href: string; text: string; isButton?: boolean };
}

export function MessagePage({ site, language, heading, lines, details = [], next }: MessageProps): JSX.Element {
  const { href, text, isButton } = next ?? { href: site.href("/account"), text: language.t.toAccount };
  return (
    <CardPage site={site} language={language} title={heading}>
      <h1 safe>{heading}</h1>
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
      {details.map((line) => (
        <p lang="en" dir="ltr" safe>
          {line}
        </p>
      ))}
      <p>
        <a class={isButton ? "button" : undefined} href={attribute(href)} safe>
          {text}
        </a>
      </p>
    </CardPage>
  );
}

/** Why a form was rejected; fields refer to it by the id `problem`. */
export function Problem({ text }: { text: string | undefined }): JSX.Element {
  if (!text) return "";
  return (
    <p id="problem" class="problem" role="alert" safe>
      {text}
    </p>
  );
}

/** Escapes an attribute value. @kitajs/html escapes quotes but leaves `&lt;`, which a browser would read as `<`. */
export function attribute(text: string): string {
  return text.replaceAll("&", "&amp;");
}
