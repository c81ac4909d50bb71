// A stored secret goes to the address that it was given for, and not to another one that somebody sets later: who may
// change an address need not know the secret, and must not learn it so.

import { BadInput } from "../errors.ts";

/** The fields that say where secrets go, and the secrets. All of them are the API's names. */
export const BOUND_SECRETS = {
  /** A path of the same receiver is no other receiver. */
  WebhookConnection: { addresses: ["URL"], secrets: ["Secret", "ApiKey", "Headers"], compared: "origin" },
  /** Several providers may stand at one host. */
  IdentityProvider: { addresses: ["Issuer", "TokenEndpoint"], secrets: ["ClientSecret"], compared: "text" },
} as const;

type Resource = keyof typeof BOUND_SECRETS;
type Address<R extends Resource> = (typeof BOUND_SECRETS)[R]["addresses"][number];
type Secret<R extends Resource> = (typeof BOUND_SECRETS)[R]["secrets"][number];
type Addresses<R extends Resource> = Record<Address<R>, string>;

/** The address fields of a change that lead somewhere else than before. */
export function movedAddresses<R extends Resource>(resource: R, before: Addresses<R>, after: Addresses<R>): string[] {
  const { addresses, compared } = BOUND_SECRETS[resource];
  const place = (address: string) => (compared === "origin" && address ? new URL(address).origin : address);
  return (addresses as readonly Address<R>[]).filter((name) => place(before[name]) !== place(after[name]));
}

/**
 * For a change that is permitted, and whose conditions hold.
 * @param kept of each secret, whether one is stored that the change neither replaces nor takes away
 * @throws BadInput naming the secrets that have to be sent again; all there can be to who may not read the record
 */
export function requireSecretsAnew<R extends Resource>(
  gate: { sees(type: string, resource: object): boolean },
  resource: R,
  before: Addresses<R>,
  after: Addresses<R>,
  kept: Record<Secret<R>, boolean>,
): void {
  const moved = movedAddresses(resource, before, after);
  const { addresses, secrets } = BOUND_SECRETS[resource];
  const missing = (secrets as readonly Secret<R>[]).filter((name) => kept[name]);
  if (moved.length === 0 || missing.length === 0) return;
  if (!gate.sees(resource, before)) {
    throw new BadInput(
      `${secrets.join(", ")} must be sent again where ${addresses.join(" or ")} leads elsewhere: they were given for ` +
        "the former address.",
    );
  }
  const where = moved.join(" and ");
  throw new BadInput(
    ...missing.map(
      (name) => `${name} must be sent again: ${where} leads elsewhere, and it was given for the former address.`,
    ),
  );
}
