import { type MasterKey, seal, unseal } from "../../../master-key.ts";
import type { Provider } from "./store.ts";

/** What a sealed secret is for; it opens for nothing else. */
export const CLIENT_SECRET_PURPOSE = "identity provider's client secret";

export function sealSecret(masterKey: MasterKey, secret: string): Uint8Array {
  return seal(masterKey, CLIENT_SECRET_PURPOSE, secret);
}

/** @returns null: a public client */
export function openSecret(masterKey: MasterKey, { clientSecret }: Pick<Provider, "clientSecret">): string | null {
  return clientSecret && unseal(masterKey, CLIENT_SECRET_PURPOSE, clientSecret);
}
