export { takenOut, USER_ATTRIBUTES } from "./attribute-definitions.ts";
export { countUsersWith } from "./attributes.store.ts";
export type { AttributeDefinition, Attributes, AttributeValue } from "./attributes.ts";
export {
  changeOwnApplication,
  changeOwnUser,
  deleteOwnApplication,
  insertSystemApplication,
  makeOwnApplication,
  makeOwnUser,
  type Vouched,
  waitForUsers,
} from "./own-records.ts";
export { createFindRecord, createFindRecords, type OnChange, resourceTypes } from "./record.ts";
export { createRegistry, describeEntities, ENTITIES, ENTITY_TABLES } from "./registry.ts";
export { entityRoutes } from "./routes.ts";
export { FOREIGN_KEY_SCHEMAS } from "./schemas.ts";
export { createEntities, type Entities, type EntityRecord, type EntityService } from "./service.ts";
