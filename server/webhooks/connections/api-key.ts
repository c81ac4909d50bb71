/** The ApiKey that a receiver's address itself has (docs/webhooks.md "Headers and ApiKey"); an empty one is none. */
export function ownApiKeys(url: string): string[] {
  return [...new Set(new URL(url).searchParams.getAll("ApiKey"))].filter(Boolean);
}
