export type { EntityDefinition } from "./definition.ts";
export { ENTITIES } from "./registry.ts";
export { entitiesController } from "./routes.ts";
