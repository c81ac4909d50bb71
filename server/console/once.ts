// Secrets that are shown only once. They travel to the next page in a sealed cookie, so reloading neither resubmits the
// form nor shows them again.

import type { Cookies } from "../identity/index.ts";
import type { Vault } from "../platform/vault.ts";
import type { Visit } from "./visit.ts";

const PURPOSE = "shown once";
/** Seconds until the cookie expires. */
const LIFETIME = 60;

export type ShownOnce = Record<string, string>;

export interface Once {
  goTo(visit: Visit, path: string, shown: ShownOnce): Response;
  /** @returns undefined if it was already shown, or is for another page or session */
  take(visit: Visit): ShownOnce | undefined;
}

export function createOnce(vault: Vault, cookies: Cookies): Once {
  const { seal, open } = vault.sealFor(PURPOSE);

  function opened(value: string) {
    try {
      return JSON.parse(open(Buffer.from(value, "base64url")));
    } catch {
      // The cookie was tampered with, or MASTER_KEY was replaced.
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
      // The expiry is inside the cookie, so a saved cookie does not extend it.
      const isOfThis = sid === visit.session.id && path === visit.url.pathname && Date.now() < until;
      if (!isOfThis) return undefined;
      visit.isSecret = true;
      return shown;
    },
  };
}
