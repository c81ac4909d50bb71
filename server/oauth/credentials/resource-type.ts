import { judgedFields, type ResourceType } from "../../access/index.ts";
import { CREDENTIALS } from "./contract.ts";

/** What policies can say of an Application's credentials and secrets; its Id is the Application's. */
export const CREDENTIALS_RESOURCE_TYPE: ResourceType = {
  name: "Credentials",
  families: ["Settings"],
  attributes: [{ name: "Id", type: "text" }, ...judgedFields(CREDENTIALS)],
};
