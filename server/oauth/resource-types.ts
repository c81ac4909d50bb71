import type { ResourceType } from "../access/index.ts";
import { CONSENT_RESOURCE_TYPE } from "./consents/resource-type.ts";
import { CREDENTIALS_RESOURCE_TYPE } from "./credentials/resource-type.ts";

/** What policies can say of clients' credentials and users' consents. */
export const RESOURCE_TYPES: ResourceType[] = [CREDENTIALS_RESOURCE_TYPE, CONSENT_RESOURCE_TYPE];
