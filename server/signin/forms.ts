import { Permission } from "../errors.ts";
import type { Cookies } from "./cookies.ts";
import type { Csrf } from "./csrf.ts";
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
