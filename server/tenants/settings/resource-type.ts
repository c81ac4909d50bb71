import type { ResourceType } from "../../access/index.ts";

/** What policies can say of a tenant's own settings; their Id is the tenant's. */
export const SETTINGS_RESOURCE_TYPE: ResourceType = {
  name: "TenantSettings",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "SecondFactor", type: "text" },
  ],
};
