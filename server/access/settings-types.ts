import { POLICY } from "./policies/contract.ts";
import { judgedFields, type ResourceType } from "./policies/resource-type.ts";
import { ROLE } from "./roles/contract.ts";

/** What policies can say of policies and roles themselves. */
export const SETTINGS_TYPES: ResourceType[] = [
  {
    name: "Policy",
    families: ["Settings"],
    attributes: judgedFields(POLICY),
  },
  {
    name: "Role",
    // `Role::"admin"` as a resource is the role that principals are members of.
    key: "Name",
    families: ["Settings"],
    attributes: judgedFields(ROLE),
  },
];
