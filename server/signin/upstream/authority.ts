import type { Provider } from "./providers/store.ts";

/** Who speaks of a subject: a provider that is pointed somewhere else speaks of other users. */
export function authorityOf({
  type,
  issuer,
  userinfoEndpoint,
  mapping,
}: Pick<Provider, "type" | "issuer" | "userinfoEndpoint" | "mapping">): string {
  return type === "OpenIDConnect" ? issuer! : `${userinfoEndpoint}#${mapping.Subject ?? "sub"}`;
}
