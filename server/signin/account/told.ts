import { NO_STORE } from "../../http/no-store.ts";
import { flashCookie } from "../flash.ts";
import type { Session } from "../sessions.ts";
import type { AccountDependencies } from "./dependencies.ts";

export const ACCOUNT_PATH = "/account";

/** Where somebody signs in to the account pages, by an application. */
export function signInTarget(clientId: string): string {
  return `${ACCOUNT_PATH}?${new URLSearchParams({ client_id: clientId })}`;
}

export function isSignInTarget(target: string): boolean {
  return target.startsWith(`${ACCOUNT_PATH}?`);
}

/** What the account page says of what has just been done. */
export const TOLD = {
  password: "Your password is changed. You are signed out everywhere else.",
  enrolled: "Your authenticator app is set up.",
  removed: "Your authenticator app is removed.",
  session: "That browser is signed out.",
  sessions: "You are signed out everywhere else.",
  linked: "It is linked. From now on you can sign in with it.",
  unlinked: "It is unlinked, and no longer signs you in.",
  consent: "The application's access is revoked. It will ask again.",
};

/** Goes on to the account page: 303, so that no form is sent twice. */
export function toAccount(
  { endpoints: { site }, cookies }: Pick<AccountDependencies, "endpoints" | "cookies">,
  done?: keyof typeof TOLD,
  more: string[] = [],
): Response {
  const headers = new Headers({ location: site.href(ACCOUNT_PATH), ...NO_STORE });
  if (done) headers.append("set-cookie", flashCookie(cookies, TOLD[done]));
  for (const cookie of more) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** How the pages name who is signed in. */
export function userOf({ name, username }: Pick<Session, "name" | "username">): string {
  return name && username && name !== username ? `${name} (${username})` : username || name;
}
