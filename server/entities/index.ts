export { ENTITIES } from "./registry.ts";
export { entitiesController } from "./routes.ts";
