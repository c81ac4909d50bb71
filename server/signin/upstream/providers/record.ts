import { redirectUriOf } from "../redirect-uri.ts";
import { PROVIDER, type ProviderRecord } from "./contract.ts";
import type { Provider } from "./store.ts";

/** A provider in its response shape. */
export function toProviderRecord(publicUrl: string, provider: Provider): ProviderRecord {
  return PROVIDER.toRecord(provider, { RedirectUri: redirectUriOf(publicUrl, provider.id) });
}

/** What an ETag depends on: the secret too, though it is never read back. */
export function versionOf(provider: Provider): object {
  const { clientSecret } = provider;
  return { ...provider, clientSecret: clientSecret && Buffer.from(clientSecret).toString("base64") };
}
