import type { ResourceType } from "../access/index.ts";
import { CONSENT_RESOURCE_TYPE } from "./consents/resource-type.ts";
import { CREDENTIALS_RESOURCE_TYPE } from "./credentials/resource-type.ts";
import { SIGNING_KEY_RESOURCE_TYPE } from "./keys/resource-type.ts";

/** What policies can say of clients' credentials, users' consents and the signing keys. */
export const RESOURCE_TYPES: ResourceType[] = [
  CREDENTIALS_RESOURCE_TYPE,
  CONSENT_RESOURCE_TYPE,
  SIGNING_KEY_RESOURCE_TYPE,
];
