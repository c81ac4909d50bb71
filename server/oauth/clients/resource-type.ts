import { judgedFields, type ResourceType } from "../../access/index.ts";
import { CREDENTIALS } from "./contract.ts";

/** An Application's credentials and secrets in policies; the Id is the Application's. */
export const CREDENTIALS_RESOURCE_TYPE: ResourceType = {
  name: "Credentials",
  families: ["Settings"],
  attributes: [{ name: "Id", type: "text" }, ...judgedFields(CREDENTIALS)],
};
