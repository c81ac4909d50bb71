/** The ApiKey that a receiver's address has itself, and is sent then (SPEC.md Authentication 5); an empty one is none. */
export function ownApiKeys(url: string): string[] {
  return [...new Set(new URL(url).searchParams.getAll("ApiKey"))].filter(Boolean);
}
