export { MOST_RECORDS } from "./bulk.ts";
export { ACTOR_FIELDS, type EntityDefinition, type Field, UNSET_DATE } from "./definition.ts";
export { changeOwnUser, makeOwnUser, waitForUsers } from "./own-user.ts";
export { toRecord } from "./record.ts";
export { createRegistry, describeEntities, ENTITIES, type Entity, type EntityReference } from "./registry.ts";
export { createFindRecord, resourceTypes } from "./resource-types.ts";
export { entitiesController } from "./routes.ts";
export { insertSystemApplication } from "./system-application.ts";
export { INT32_MAX, type Matchable, matchables } from "./values.ts";
