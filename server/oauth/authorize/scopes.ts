const WORDS: Record<string, string> = {
  openid: "know who you are",
  profile: "see your name and user name",
  name: "see your name",
  email: "see your e-mail address",
  address: "see your postal address",
  phone: "see your phone number",
  "AccessManager:Read": "read users, applications and departments for you",
  "AccessManager:Create": "create users, applications and departments for you",
  "AccessManager:Update": "change users, applications and departments for you",
  "AccessManager:Delete": "delete users, applications and departments for you",
  "Settings:Read": "see credentials, policies and keys for you",
  "Settings:Update": "change credentials, policies and keys for you",
  "Webhooks:Read": "see webhook connections and their activity for you",
  "Webhooks:Create": "create webhook connections for you",
  "Webhooks:Update": "change webhook connections for you",
  "Webhooks:Delete": "delete webhook connections for you",
};

/** What a user is asked to allow, in words. */
export function inWords(scopes: string[]): string[] {
  const told = scopes.includes("profile") ? scopes.filter((scope) => scope !== "name") : scopes;
  return told.map((scope) => WORDS[scope] ?? `use ${scope} for you`);
}
