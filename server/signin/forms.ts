// Forms that only the page they stand on can have sent.

import { createHmac, timingSafeEqual } from "node:crypto";
import { Permission } from "../errors.ts";
import type { Vault } from "../vault.ts";
import type { Cookies } from "./cookies.ts";
import { newOpaqueValue } from "./opaque.ts";
import type { Session } from "./sessions.ts";

/** Forms that only the browser they were shown in can send. */
export interface Forms {
  /**
   * @param session whom the form speaks for; undefined for the sign-in form
   * @returns the hidden field `csrf`, and the Set-Cookie values that go with it
   */
  protect(request: Request, session?: Session): { csrf: string; cookies: string[] };
  /** What `require` asks. */
  accepts(request: Request, csrf: string | undefined, session?: Session): boolean;
  /** @throws Permission */
  require(request: Request, csrf: string | undefined, session?: Session): void;
}

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
      throw new Permission(
        "This form has expired, or your browser keeps no cookies. Go back to the application and start again.",
      );
    },
  };
}

/** A signed double submit: the token in a form is a MAC of the cookies that come back with it. */
export interface Csrf {
  /** @param session the session that the form speaks for; undefined for the sign-in form */
  token(visitor: string, session: string | undefined): string;
  matches(token: string | undefined, visitor: string | undefined, session: string | undefined): boolean;
}

export function createCsrf(vault: Vault): Csrf {
  const keys = vault.keysFor("csrf");
  const mac = (key: Buffer, visitor: string, session = "") =>
    createHmac("sha256", key).update(`${visitor}.${session}`).digest();
  return {
    token: (visitor, session) => mac(keys[0], visitor, session).toString("base64url"),
    matches(token, visitor, session) {
      if (token === undefined || visitor === undefined) return false;
      const given = Buffer.from(token, "base64url");
      return keys.some((key) => {
        const right = mac(key, visitor, session);
        return given.length === right.length && timingSafeEqual(given, right);
      });
    },
  };
}
