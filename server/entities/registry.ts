import { EVENT_TYPES } from "../webhooks/index.ts";
import { application } from "./application.ts";
import type { EntityDefinition } from "./definition.ts";
import { user } from "./user.ts";

/** Every entity there is; a new one is one file, one migration and its line here. */
export const ENTITIES: readonly EntityDefinition[] = [application, user];

/** SPEC.md Endpoints 6: the entities that can trigger webhooks. */
export function describeEntities() {
  return ENTITIES.map((entity) => ({
    Name: entity.name,
    Fields: entity.fields.map((field) => ({
      Name: field.name,
      Type: entity.idAsText && field.name === "Id" ? "string" : OPENAPI_TYPES[field.type],
    })),
    Events: [...EVENT_TYPES],
  }));
}

const OPENAPI_TYPES = {
  text: "string",
  boolean: "boolean",
  dateTime: "string (date-time)",
  int32: "integer (int32)",
  int64: "integer (int64)",
};
