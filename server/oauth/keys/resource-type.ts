import type { ResourceType } from "../../access/index.ts";

/** What policies can say of a signing key; its Id is the `kid`. */
export const SIGNING_KEY_RESOURCE_TYPE: ResourceType = {
  name: "SigningKey",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Alg", type: "text" },
    { name: "State", type: "text" },
  ],
};
