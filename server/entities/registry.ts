// The entities there are.

import { contract } from "../http/contract.ts";
import { ABSTRACT_LONG, ABSTRACT_TEXT, type Field } from "../http/fields.ts";
import { type NamedField, type NamedReference, type RecordDeclaration, reference } from "../records/index.ts";
import { EVENT_TYPES } from "../webhooks/index.ts";
import { application } from "./application.ts";
import { ACTOR_FIELDS, inAnswerOrder, type PointedAt } from "./definition.ts";
import { department } from "./department.ts";
import { user } from "./user.ts";
import { matchables } from "./values.ts";

/** No entity, since it is a setting and makes no events; but Application's AuthenticationId points at one. */
const identityProvider: PointedAt = {
  name: "IdentityProvider",
  table: "identity_providers",
  idAsText: true,
  fields: [
    { name: "Id", column: "id" },
    { name: "Name", column: "name" },
    { name: "ExternalId", column: "external_id" },
  ],
};

/** Every entity there is; a new one is one file, one migration and its line here. */
export const ENTITIES: readonly RecordDeclaration[] = [application, user, department];

/** A target of foreign keys that is not an entity. */
const SETTINGS: readonly PointedAt[] = [identityProvider];

const ACTORS = ["User", "Application"];

/** A definition with resolved targets of its foreign keys. */
export interface Entity extends RecordDeclaration {
  references: EntityReference[];
  /** The foreign keys, of any entity, that point here. */
  referencedBy: { entity: Entity; column: string; name: string }[];
  actors: Entity[];
}

export interface EntityReference extends NamedReference {
  pointsAt: PointedAt;
}

/** @throws Error if a definition's foreign key points at no entity of the list and at no setting */
export function createRegistry(definitions: readonly RecordDeclaration[]): Entity[] {
  const entities = definitions.map(
    (definition): Entity => ({ ...definition, references: [], referencedBy: [], actors: [] }),
  );
  const named = (name: string) => entities.find((entity) => entity.name === name);
  for (const [index, entity] of entities.entries()) {
    entity.actors = ACTORS.flatMap((name) => named(name) ?? []);
    for (const reference of definitions[index]!.references) {
      const target = named(reference.target);
      const pointsAt = target ?? SETTINGS.find(({ name }) => name === reference.target);
      if (!pointsAt)
        throw new Error(`${entity.name}.${reference.name} points at ${reference.target}, which is no entity.`);
      entity.references.push({ ...reference, pointsAt });
      target?.referencedBy.push({ entity, column: reference.column, name: reference.name });
    }
    Object.assign(entity, contractOf(entity));
  }
  return entities;
}

const NOBODY = { Id: 0, ExternalId: "", Name: "", Type: "" };
const EXAMPLE_ACTOR = { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" };

/** With what its foreign keys point at. */
function contractOf({ name, description, identifiers, fields, references }: Entity) {
  const all = inAnswerOrder<Field>([
    ...fields.map((field): [string, Field] => [field.name, field.name === "Id" ? idField(field, identifiers) : field]),
    ...references.map((one): [string, Field] => [one.name, shownReference(one)]),
    ...ACTOR_FIELDS.map((one): [string, Field] => [one.name, actorField(one)]),
  ]);
  const sentAs = `${description} Absent fields are left alone, null clears a field.`;
  return contract(name, description, Object.fromEntries(all), sentAs);
}

/** docs/behaviour.md "Write a record": an empty Id finds a record by something else. */
function idField(field: NamedField, identifiers: readonly string[]): Field {
  const { description } = field;
  const sent = `${description} Empty: the record is found by ${identifiers.join(", ")}, or is new.`;
  return { ...field, description: sent, answered: description, readOnly: false };
}

/** In a row it has the reference's own name; the column is the Id alone. */
function shownReference({ pointsAt, inputOnly, ...field }: EntityReference): Field {
  if (inputOnly) return field;
  const { name: Type, idAsText, fields } = pointsAt;
  const exampleOf = (key: string) => fields.find(({ name }) => name.replace("_", "") === key)?.example ?? "";
  const none = { ...NOBODY, Id: idAsText ? "" : 0 };
  return {
    ...field,
    column: field.name,
    shown: idAsText ? ABSTRACT_TEXT : ABSTRACT_LONG,
    show: (stored) => stored ?? none,
    example: { Id: idAsText ? "3" : 3, ExternalId: exampleOf("ExternalId"), Name: exampleOf("Name"), Type },
  };
}

function actorField({ name, description }: (typeof ACTOR_FIELDS)[number]): Field {
  return {
    ...reference("", name, `${description} It is looked up, but the server's own value is stored.`),
    answered: description,
    shown: ABSTRACT_LONG,
    show: (stored) => stored ?? NOBODY,
    example: EXAMPLE_ACTOR,
  };
}

/** docs/behaviour.md "List the entities": the entities that can trigger webhooks. */
export function describeEntities(entities: readonly RecordDeclaration[]) {
  const isText = (name: string) => entities.find((entity) => entity.name === name)?.idAsText ?? true;
  return entities.map((entity) => {
    const types = inAnswerOrder<string>([
      ...entity.fields.map(({ name, type }): [string, string] => [
        name,
        entity.idAsText && name === "Id" ? "string" : OPENAPI_TYPES[type],
      ]),
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
      Events: entity.events ? [...EVENT_TYPES] : [],
    };
  });
}

const OPENAPI_TYPES = {
  text: "string",
  boolean: "boolean",
  dateTime: "string (date-time)",
  int32: "integer (int32)",
  int64: "integer (int64)",
  attributes: "object",
};
