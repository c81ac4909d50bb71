// What is shown once and never again, such as a new secret. It goes to the next page in a sealed cookie: so that page has
// an address of its own, and to load it anew neither sends the form again nor shows anything.

import type { Cookies } from "../signin/index.ts";
import type { Vault } from "../vault.ts";
import type { Visit } from "./visit.ts";

const PURPOSE = "shown once";
/** Seconds in which the next page has to be there. */
const LIFETIME = 60;

/** By what people call it. */
export type ShownOnce = Record<string, string>;

export interface Once {
  /** Goes to the page that shows it. */
  goTo(visit: Visit, path: string, shown: ShownOnce): Response;
  /** @returns undefined if it was shown before, or is of another page or sign-in */
  take(visit: Visit): ShownOnce | undefined;
}

export function createOnce(vault: Vault, cookies: Cookies): Once {
  const { seal, open } = vault.sealFor(PURPOSE);

  function opened(value: string) {
    try {
      return JSON.parse(open(Buffer.from(value, "base64url")));
    } catch {
      // Somebody has changed it, or MASTER_KEY was replaced.
      return {};
    }
  }

  return {
    goTo(visit, path, shown) {
      const sealed = seal(JSON.stringify({ sid: visit.session.id, path, shown, until: Date.now() + 1_000 * LIFETIME }));
      const answer = visit.goTo(path);
      answer.headers.append("set-cookie", cookies.set("once", sealed.toString("base64url"), LIFETIME));
      return answer;
    },
    take(visit) {
      const value = cookies.read(visit.request, "once");
      if (value === undefined) return undefined;
      visit.formCookies.push(cookies.clear("once"));
      const { sid, path, shown, until } = opened(value);
      // Who keeps the cookie's value shows it no longer than that either.
      const isOfThis = sid === visit.session.id && path === visit.url.pathname && Date.now() < until;
      return isOfThis ? shown : undefined;
    },
  };
}
