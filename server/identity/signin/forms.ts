// CSRF protection: a form is accepted only from the page that contains it.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Permission } from "../../platform/errors.ts";
import type { Vault } from "../../platform/vault.ts";
import { texts } from "../../ui/index.ts";
import type { Cookies } from "./cookies.ts";
import { newOpaqueValue } from "./opaque.ts";
import type { Session } from "./session.ts";
import type { Trouble } from "./throttle.ts";

export interface Forms {
  /** The hidden field `csrf` and its Set-Cookie values. @param session undefined for the sign-in form */
  protect(request: Request, session?: Session): { csrf: string; cookies: string[] };
  accepts(request: Request, csrf: string | undefined, session?: Session): boolean;
  /** The message for a form that is shown again without its secrets; undefined if the form is accepted. */
  troubleWith(request: Request, csrf: string | undefined, session?: Session): Trouble | undefined;
  /** For forms without typed input. @throws Permission */
  require(request: Request, csrf: string | undefined, session?: Session): void;
  /** The hidden field `shown` of a form that asks for a decision. @param csrf the token of the same form */
  sealShown(csrf: string, shown: ShownDecision): string;
  /** False: the values have changed, so the user must decide again. @param csrf a token that `require` accepted */
  hasShown(csrf: string | undefined, sealed: string | undefined, shown: ShownDecision): boolean;
}

/** Everything that a decision depends on, as the user saw it: the kind of form, then JSON values in a fixed order. */
export type ShownDecision = readonly [kind: string, ...values: unknown[]];

export function createForms(cookies: Cookies, csrf: Csrf): Forms {
  const accepts: Forms["accepts"] = (request, token, session) =>
    csrf.matches(token, cookies.read(request, "visitor"), session?.id);
  return {
    accepts,
    protect(request, session) {
      const known = cookies.read(request, "visitor");
      const visitor = known ?? newOpaqueValue();
      return { csrf: csrf.token(visitor, session?.id), cookies: known ? [] : [cookies.set("visitor", visitor)] };
    },
    require(request, token, session) {
      if (accepts(request, token, session)) return;
      throw new Permission(texts.ERRORS.stale);
    },
    // The cookie is missing, another tab has signed in since, or another site sent the form.
    troubleWith: (request, token, session) =>
      accepts(request, token, session) ? undefined : { problem: texts.speak(request).t.staleForm, status: 403 },
    sealShown: (token, shown) => csrf.seal(token, JSON.stringify(shown)),
    hasShown: (token, sealed, shown) => csrf.isSealOf(sealed, token, JSON.stringify(shown)),
  };
}

/**
 * A signed double submit: the form's token is a MAC of the cookies. Each page has it with another mask, because the length
 * of a compressed page would tell a repeated token.
 */
export interface Csrf {
  token(visitor: string, session: string | undefined): string;
  matches(token: string | undefined, visitor: string | undefined, session: string | undefined): boolean;
  /** A MAC of the values that a form shows. Its token binds them to the browser and the session. */
  seal(token: string, shown: string): string;
  isSealOf(sealed: string | undefined, token: string | undefined, shown: string): boolean;
}

export function createCsrf(vault: Vault): Csrf {
  const keys = vault.keysFor("csrf");
  const shownKeys = vault.keysFor("shown");
  const mac = (key: Buffer, visitor: string, session = "") =>
    createHmac("sha256", key).update(`${visitor}.${session}`).digest();
  const macOfShown = (key: Buffer, token: string, shown: string) =>
    createHmac("sha256", key).update(unmasked(token)).update(`.${shown}`).digest();
  return {
    token: (visitor, session) => masked(mac(keys[0], visitor, session)),
    matches(token, visitor, session) {
      if (token === undefined || visitor === undefined) return false;
      const given = unmasked(token);
      return keys.some((key) => isSame(given, mac(key, visitor, session)));
    },
    seal: (token, shown) => macOfShown(shownKeys[0], token, shown).toString("base64url"),
    isSealOf(sealed, token, shown) {
      if (sealed === undefined || token === undefined) return false;
      const given = Buffer.from(sealed, "base64url");
      return shownKeys.some((key) => isSame(given, macOfShown(key, token, shown)));
    },
  };
}

/** A random mask, and the bytes under it. */
function masked(bytes: Buffer): string {
  const mask = randomBytes(bytes.length);
  return Buffer.concat([mask, bytes.map((byte, index) => byte ^ mask[index]!)]).toString("base64url");
}

function unmasked(token: string): Buffer {
  const both = Buffer.from(token, "base64url");
  const half = both.length >> 1;
  return Buffer.from(both.subarray(half).map((byte, index) => byte ^ both[index]!));
}

function isSame(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right);
}
