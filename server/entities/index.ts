export { type EntityDefinition, UNSET_DATE } from "./definition.ts";
export { changeOwnUser, makeOwnUser, waitForUsers } from "./own-user.ts";
export { describeEntities, ENTITIES } from "./registry.ts";
export { createFindRecord, createFindRecords, resourceTypes } from "./resource-types.ts";
export { entityRoutes } from "./routes.ts";
export { FOREIGN_KEY_SCHEMAS } from "./schemas.ts";
export { createEntities, type Entities, type EntityRecord, type EntityService } from "./service.ts";
export { insertSystemApplication } from "./system-application.ts";
export type { OnChange } from "./transaction.ts";
