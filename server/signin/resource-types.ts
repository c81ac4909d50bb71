import { judgedFields, type ResourceType } from "../access/index.ts";
import { PROVIDER } from "./upstream/providers/contract.ts";

/** What policies can say of identity providers. */
export const RESOURCE_TYPES: ResourceType[] = [
  { name: PROVIDER.name, families: ["Settings"], attributes: judgedFields(PROVIDER) },
];
