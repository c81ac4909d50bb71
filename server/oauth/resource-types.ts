// What policies can say of clients' credentials, what users have granted, initial access tokens, and the signing keys.

import { judgedFields, type ResourceType } from "../access/index.ts";
import { CREDENTIALS } from "./clients/contract.ts";

/** What policies can say of an Application's credentials and secrets; its Id is the Application's. */
export const CREDENTIALS_RESOURCE_TYPE: ResourceType = {
  name: "Credentials",
  families: ["Settings"],
  attributes: [{ name: "Id", type: "text" }, ...judgedFields(CREDENTIALS)],
};

/** What policies can say of what applications may do in the name of users. */
export const GRANT_RESOURCE_TYPE: ResourceType = {
  name: "Grant",
  key: "Key",
  families: ["Settings"],
  attributes: [
    { name: "UserId", type: "number" },
    { name: "Application", type: "reference" },
    { name: "Scopes", type: "texts" },
  ],
};

/** What policies can say of an initial access token, by which clients register themselves. */
export const REGISTRATION_TOKEN_RESOURCE_TYPE: ResourceType = {
  name: "RegistrationToken",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Name", type: "text" },
  ],
};

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

/** What policies can say of clients' credentials, what users have granted, and the signing keys. */
export const RESOURCE_TYPES: ResourceType[] = [
  CREDENTIALS_RESOURCE_TYPE,
  GRANT_RESOURCE_TYPE,
  REGISTRATION_TOKEN_RESOURCE_TYPE,
  SIGNING_KEY_RESOURCE_TYPE,
];
