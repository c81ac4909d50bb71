import type { ResourceType } from "./policies/resource-type.ts";

/** What policies can say of policies and roles themselves. */
export const SETTINGS_TYPES: ResourceType[] = [
  {
    name: "Policy",
    families: ["Settings"],
    attributes: [
      { name: "Id", type: "text" },
      { name: "Name", type: "text" },
      { name: "Description", type: "text" },
    ],
  },
  {
    name: "Role",
    // `Role::"admin"` as a resource is the role that principals are members of.
    key: "Name",
    families: ["Settings"],
    attributes: [
      { name: "Id", type: "text" },
      { name: "Name", type: "text" },
      { name: "Description", type: "text" },
      { name: "Scopes", type: "texts" },
    ],
  },
];
