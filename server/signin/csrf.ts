import { createHmac, timingSafeEqual } from "node:crypto";
import { derivedKeys, type MasterKey } from "../master-key.ts";

/** A signed double submit: the token in a form is a MAC of the cookies that come back with it. */
export interface Csrf {
  /** @param session the session that the form speaks for; undefined for the sign-in form */
  token(visitor: string, session: string | undefined): string;
  matches(token: string | undefined, visitor: string | undefined, session: string | undefined): boolean;
}

export function createCsrf(masterKey: MasterKey): Csrf {
  const keys = derivedKeys(masterKey, "csrf");
  const mac = (key: Buffer, visitor: string, session = "") =>
    createHmac("sha256", key).update(`${visitor}.${session}`).digest();
  return {
    token: (visitor, session) => mac(keys[0]!, visitor, session).toString("base64url"),
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
