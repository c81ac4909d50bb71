// Violations of a page's own Content-Security-Policy that are visible in its HTML.

import type { Element } from "./plain-html.ts";

/** Attributes that load or send data, by element, and the directive of each. */
const ADDRESSES: Record<string, [attribute: string, directive: string]> = {
  script: ["src", "script-src"],
  link: ["href", "style-src"],
  img: ["src", "img-src"],
  iframe: ["src", "frame-src"],
  form: ["action", "form-action"],
  base: ["href", "base-uri"],
};
/** These do not fall back to default-src (CSP Level 3, 6.1). */
const NO_FALLBACK = ["form-action", "base-uri"];

/** @returns a text for each violation; none without a policy */
export function violationsOf(page: Element, policy: string | null, url: URL): string[] {
  if (policy === null) return [];
  const directives = new Map(
    policy.split(";").map((directive) => {
      const [name, ...sources] = directive.trim().split(/\s+/);
      return [name!, sources] as const;
    }),
  );
  const sourcesOf = (directive: string) =>
    directives.get(directive) ?? (NO_FALLBACK.includes(directive) ? undefined : directives.get("default-src"));
  return page.below().flatMap((element) => {
    const needed = [...inlineOf(element), ...addressesOf(element)];
    const refused = needed.filter(({ directive, address }) => {
      const sources = sourcesOf(directive);
      return sources && !sources.some((source) => fits(source, element, address && new URL(address, url), url));
    });
    return refused.map(
      ({ what, directive }) => `Refused by the page's Content Security Policy (${directive}): <${element.tag}> ${what}`,
    );
  });
}

interface Needed {
  what: string;
  directive: string;
  /** Undefined for code and styles in the page itself. */
  address?: string;
}

function addressesOf(element: Element): Needed[] {
  const [attribute, directive] = ADDRESSES[element.tag] ?? [];
  const address = attribute && element.getAttribute(attribute);
  if (!directive || !address) return [];
  if (element.tag === "link" && element.getAttribute("rel") !== "stylesheet") return [];
  return [{ what: address, directive, address }];
}

function inlineOf(element: Element): Needed[] {
  const isScript = element.tag === "script" && !element.has("src");
  return [
    ...(isScript ? [{ what: "code in the page", directive: "script-src" }] : []),
    ...(element.tag === "style" ? [{ what: "styles in the page", directive: "style-src" }] : []),
    ...element.names.flatMap((name) => {
      if (name === "style") return [{ what: "the attribute style", directive: "style-src" }];
      return name.startsWith("on") ? [{ what: `the attribute ${name}`, directive: "script-src" }] : [];
    }),
  ];
}

/** @param address undefined for inline code and styles */
function fits(source: string, element: Element, address: URL | "" | undefined, page: URL): boolean {
  const nonce = source.match(/^'nonce-(.+)'$/)?.[1];
  if (nonce) return element.getAttribute("nonce") === nonce;
  if (!address) return source === "'unsafe-inline'";
  if (source === "'self'") return address.origin === page.origin;
  if (source.endsWith(":")) return address.protocol === source;
  return source === "*" || address.origin === source || address.href.startsWith(source);
}
