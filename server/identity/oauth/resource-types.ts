import { type ResourceType, resourceType } from "../../records/index.ts";
import { CREDENTIALS } from "./clients/contract.ts";
import { SIGNING_KEY } from "./keys/routes.ts";
import { REGISTRATION_TOKEN } from "./registration/initial-tokens.ts";
import { GRANT_RESOURCE_TYPE } from "./user-grants.ts";

export const RESOURCE_TYPES: ResourceType[] = [
  resourceType(CREDENTIALS),
  GRANT_RESOURCE_TYPE,
  resourceType(REGISTRATION_TOKEN),
  resourceType(SIGNING_KEY),
];
