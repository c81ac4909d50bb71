import type { ResourceType } from "../access/index.ts";
import { CREDENTIALS_RESOURCE_TYPE } from "./clients/resource-type.ts";
import { SIGNING_KEY_RESOURCE_TYPE } from "./keys/routes.ts";
import { REGISTRATION_TOKEN_RESOURCE_TYPE } from "./registration/initial-tokens.ts";
import { GRANT_RESOURCE_TYPE } from "./user-grants.ts";

export const RESOURCE_TYPES: ResourceType[] = [
  CREDENTIALS_RESOURCE_TYPE,
  GRANT_RESOURCE_TYPE,
  REGISTRATION_TOKEN_RESOURCE_TYPE,
  SIGNING_KEY_RESOURCE_TYPE,
];
