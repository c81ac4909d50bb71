// Binds stored secrets to their address: changing the address requires giving the secrets again. Otherwise a caller who
// may change the address could send a secret to their own server.

import { urlOf } from "../address.ts";
import { BadInput } from "../errors.ts";

/** Address and secret fields of each resource, by their API names. */
export const BOUND_SECRETS = {
  /** A different path belongs to the same receiver. */
  WebhookConnection: { addresses: ["URL"], secrets: ["Secret", "ApiKey", "Headers"], compared: "origin" },
  /** One host may serve several providers. */
  IdentityProvider: {
    addresses: ["Issuer", "MetadataUri", "TokenEndpoint"],
    secrets: ["ClientSecret"],
    compared: "text",
  },
} as const;

type Resource = keyof typeof BOUND_SECRETS;
type Address<R extends Resource> = (typeof BOUND_SECRETS)[R]["addresses"][number];
type Secret<R extends Resource> = (typeof BOUND_SECRETS)[R]["secrets"][number];
type Addresses<R extends Resource> = Record<Address<R>, string>;

export function movedAddresses<R extends Resource>(resource: R, before: Addresses<R>, after: Addresses<R>): string[] {
  const { addresses, compared } = BOUND_SECRETS[resource];
  const place = (address: string) => (compared === "origin" && address ? urlOf(address).origin : address);
  return (addresses as readonly Address<R>[]).filter((name) => place(before[name]) !== place(after[name]));
}

/**
 * Call it after authorization and condition checks.
 * @throws BadInput naming the secrets to send again; for callers without read permission, all possible ones
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
      `${secrets.join(", ")} must be sent again when ${addresses.join(" or ")} changes: they belong to ` +
        "the former address.",
    );
  }
  const where = moved.join(" and ");
  throw new BadInput(
    ...missing.map((name) => `${name} must be sent again: ${where} has changed, and it belongs to the former address.`),
  );
}
