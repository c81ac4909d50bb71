// The face of a tenant's pages and mails, of what it has chosen.

import { sites } from "../../ui/index.ts";

/** What a tenant has chosen for its pages; null: nothing. */
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
  policyUri: string | null;
  tosUri: string | null;
}

export function faceOf(tenantName: string, branding: Branding): sites.Face {
  const { displayName, welcome, logo, darkLogo, favicon, helpUri, policyUri, tosUri } = branding;
  const links = [
    { text: "Help", href: helpUri },
    { text: "Privacy", href: policyUri },
    { text: "Terms", href: tosUri },
  ];
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
