// The face of a tenant's pages and mails, made from its choices.

import { sites } from "../../ui/index.ts";

/** A tenant's choices for its pages and mails; null: none. */
export interface Branding {
  displayName: string | null;
  welcome: string | null;
  logo: string | null;
  darkLogo: string | null;
  favicon: string | null;
  accent: string | null;
  darkAccent: string | null;
  background: string | null;
  darkBackground: string | null;
  helpUri: string | null;
  /** These two are settings of registration and consent as well. */
  privacyUri: string | null;
  termsUri: string | null;
}

export function faceOf(tenantName: string, branding: Branding): sites.Face {
  const { displayName, welcome, logo, darkLogo, favicon, helpUri, privacyUri, termsUri } = branding;
  const links = [
    { text: "help", href: helpUri },
    { text: "privacy", href: privacyUri },
    { text: "terms", href: termsUri },
  ] as const;
  return {
    name: displayName ?? tenantName,
    tenantName,
    ...{ welcome, logo, darkLogo, favicon },
    light: { accent: branding.accent, background: branding.background },
    dark: darkColoursOf(branding),
    links: links.flatMap(({ text, href }) => (href ? [{ text, href }] : [])),
  };
}

type Chosen = Pick<Branding, "accent" | "darkAccent" | "darkBackground">;

export function darkColoursOf({ accent, darkAccent, darkBackground: background }: Chosen): sites.colours.Colours {
  return { accent: darkAccent ?? (accent && sites.colours.darkAccentOf(accent, background)), background };
}
