// The name in the form field `user`, which Apple sends at a person's first sign-in. The form arrives without cookies, so the
// name is carried in the address of the redirect that follows.

import { isText } from "../../../platform/text.ts";
import type { Vault } from "../../../platform/vault.ts";

export const CARRIED_NAME = "name";
/** The maximum number of characters of each part. */
const NAME_LIMIT = 200;
interface CarriedName {
  firstName: string | undefined;
  lastName: string | undefined;
}

/** Sealed, because addresses are logged, and bound to the state. Nothing signs the field, so only names are read. */
export function createCarriedNames(vault: Vault) {
  const seal = vault.sealFor("name in an identity provider's form");
  return {
    seal(form: ReadonlyMap<string, string>): [string, string] | undefined {
      const { firstName, lastName } = nameIn(form.get("user") ?? "");
      if (firstName === undefined && lastName === undefined) return undefined;
      const sealed = seal.seal(JSON.stringify([form.get("state") ?? "", firstName ?? null, lastName ?? null]));
      return [CARRIED_NAME, sealed.toString("base64url")];
    },
    open(sealed: string | null, state: string): CarriedName | undefined {
      try {
        const [of, firstName, lastName] = JSON.parse(seal.open(Buffer.from(sealed ?? "", "base64url")));
        return of === state ? { firstName, lastName } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function nameIn(user: string): CarriedName {
  const read = (value: unknown) => (isText(value, NAME_LIMIT) && value.trim() !== "" ? value : undefined);
  try {
    const { firstName, lastName } = JSON.parse(user).name;
    return { firstName: read(firstName), lastName: read(lastName) };
  } catch {
    return { firstName: undefined, lastName: undefined };
  }
}
