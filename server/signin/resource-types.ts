import type { ResourceType } from "../access/index.ts";

/** What policies can say of identity providers. */
export const RESOURCE_TYPES: ResourceType[] = [
  {
    name: "IdentityProvider",
    families: ["Settings"],
    attributes: [
      { name: "Id", type: "text" },
      { name: "Name", type: "text" },
      { name: "ExternalId", type: "text" },
      { name: "Type", type: "text" },
      { name: "Issuer", type: "text" },
      { name: "ClientId", type: "text" },
      { name: "Provisioning", type: "text" },
      { name: "AllowLocal", type: "boolean" },
      { name: "Is_Active", type: "boolean" },
    ],
  },
];
