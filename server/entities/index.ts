export type { EntityDefinition } from "./definition.ts";
export { ENTITIES } from "./registry.ts";
export { createFindRecord, resourceTypes } from "./resource-types.ts";
export { entitiesController } from "./routes.ts";
