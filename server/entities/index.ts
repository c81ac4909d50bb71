export { MOST_RECORDS } from "./bulk.ts";
export {
  ACTOR_FIELDS,
  type EntityDefinition,
  type Field,
  inAnswerOrder,
  UNSET_DATE,
  WEB_ADDRESS,
} from "./definition.ts";
export { SEARCH_LIMIT } from "./list.ts";
export { changeOwnUser, makeOwnUser, waitForUsers } from "./own-user.ts";
export { toRecord } from "./record.ts";
export { createRegistry, describeEntities, ENTITIES, type Entity, type EntityReference } from "./registry.ts";
export { createFindRecord, createFindRecords, resourceTypes } from "./resource-types.ts";
export { entitiesController } from "./routes.ts";
export { createEntities, type Entities, type EntityRecord, type EntityService } from "./service.ts";
export { insertSystemApplication } from "./system-application.ts";
export type { OnChange } from "./transaction.ts";
export { INT32_MAX, type Matchable, matchables, searchables } from "./values.ts";
