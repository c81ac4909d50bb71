import type { ResourceType } from "../../access/index.ts";

/** What policies can say of an Application's credentials and secrets; its Id is the Application's. */
export const CREDENTIALS_RESOURCE_TYPE: ResourceType = {
  name: "Credentials",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "RedirectUris", type: "texts" },
    { name: "PostLogoutRedirectUris", type: "texts" },
    { name: "GrantTypes", type: "texts" },
    { name: "Scopes", type: "texts" },
    { name: "ClientType", type: "text" },
    { name: "FirstParty", type: "boolean" },
  ],
};
