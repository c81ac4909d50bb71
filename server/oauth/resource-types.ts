// Policy resource types: clients' credentials, user grants, initial access tokens, and signing keys.

import { judgedFields, type ResourceType } from "../access/index.ts";
import { CREDENTIALS } from "./clients/contract.ts";

/** An Application's credentials and secrets in policies; the Id is the Application's. */
export const CREDENTIALS_RESOURCE_TYPE: ResourceType = {
  name: "Credentials",
  families: ["Settings"],
  attributes: [{ name: "Id", type: "text" }, ...judgedFields(CREDENTIALS)],
};

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

export const REGISTRATION_TOKEN_RESOURCE_TYPE: ResourceType = {
  name: "RegistrationToken",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Name", type: "text" },
  ],
};

/** Signing keys in policies; the Id is the `kid`. */
export const SIGNING_KEY_RESOURCE_TYPE: ResourceType = {
  name: "SigningKey",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Alg", type: "text" },
    { name: "State", type: "text" },
  ],
};

export const RESOURCE_TYPES: ResourceType[] = [
  CREDENTIALS_RESOURCE_TYPE,
  GRANT_RESOURCE_TYPE,
  REGISTRATION_TOKEN_RESOURCE_TYPE,
  SIGNING_KEY_RESOURCE_TYPE,
];
