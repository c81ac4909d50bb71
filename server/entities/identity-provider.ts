import type { PointedAt } from "./definition.ts";

/** No entity, since it is a setting and makes no events; but Application's AuthenticationId points at one. */
export const identityProvider: PointedAt = {
  name: "IdentityProvider",
  table: "identity_providers",
  idAsText: true,
  fields: [
    { name: "Id", column: "id" },
    { name: "Name", column: "name" },
    { name: "ExternalId", column: "external_id" },
  ],
};
