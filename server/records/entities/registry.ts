import { ERASED, EVENT_TYPES } from "../events/event.ts";
import type { Declaration } from "../record.ts";
import { ACTOR_FIELDS, type Entity, inAnswerOrder, type PointedAt, createRegistry as resolved } from "../registry.ts";
import { matchables, typeName } from "../values.ts";
import { application } from "./application.ts";
import { department } from "./department.ts";
import { group } from "./group.ts";
import { user } from "./user.ts";

/** A setting without events, so not an entity; but Application's AuthenticationId references it. */
const identityProvider: PointedAt = {
  name: "IdentityProvider",
  table: "identity_providers",
  idAsText: true,
  fields: [{ name: "Id" }, { name: "Name" }, { name: "ExternalId" }],
};

export const createRegistry = (definitions: readonly Declaration[]): Entity[] =>
  resolved(definitions, [identityProvider]);

/** All entities. A new one needs a file, a migration and a line here. */
export const ENTITIES: readonly Entity[] = createRegistry([application, user, department, group]);

export const ENTITY_TABLES = ENTITIES.map(({ table }) => table);

/** docs/behaviour.md "List the entities": the entities that can trigger webhooks. */
export function describeEntities(entities: readonly Entity[]) {
  const isText = (name: string) => entities.find((entity) => entity.name === name)?.idAsText ?? true;
  return entities.map((entity) => {
    const types = inAnswerOrder<string>([
      ...entity.fields.flatMap(({ name, shown }): [string, string][] => (shown ? [[name, typeName(shown)]] : [])),
      ...entity.references.map(({ name, target }): [string, string] => [
        name,
        isText(target) ? "object (AbstractText)" : "object (AbstractLong)",
      ]),
      ...ACTOR_FIELDS.map(({ name }): [string, string] => [name, "object (AbstractLong)"]),
    ]);
    const filters = matchables(entity).map(({ name }) => name);
    return {
      Name: entity.name,
      Fields: types.map(([Name, Type]) => ({ Name, Type, Filter: filters.includes(Name) })),
      Events: entity.events ? [...EVENT_TYPES, ...(entity.name === "User" ? [ERASED] : [])] : [],
    };
  });
}
