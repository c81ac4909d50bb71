import type { ResourceType } from "../../access/index.ts";

/** What policies can say of what users have allowed applications. */
export const CONSENT_RESOURCE_TYPE: ResourceType = {
  name: "Consent",
  key: "Key",
  families: ["Settings"],
  attributes: [
    { name: "UserId", type: "number" },
    { name: "Application", type: "reference" },
    { name: "Scopes", type: "texts" },
  ],
};
