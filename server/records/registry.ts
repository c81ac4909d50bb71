import { type TSchema, Type } from "@sinclair/typebox";
import { contract } from "../platform/http/contract.ts";
import { ABSTRACT_LONG, ABSTRACT_TEXT, EXAMPLE_ACTOR, type Field, NOBODY } from "../platform/http/fields.ts";
import { reference } from "./fields.ts";
import type { Declaration, NamedField, NamedReference } from "./record.ts";

/** A target of foreign keys. Its table has `id` and `tenant_id`; its fields include Id, Name and ExternalId. */
export interface PointedAt extends Pick<Declaration, "name" | "table" | "idAsText" | "selfMade"> {
  fields: readonly Pick<NamedField, "name" | "example" | "compared">[];
}

const ACTORS = ["User", "Application"];

/** A definition with resolved targets of its foreign keys. */
export interface Entity extends Declaration {
  references: EntityReference[];
  /** The foreign keys of all entities that reference this one. */
  referencedBy: { entity: Entity; column: string; name: string }[];
  actors: Entity[];
  /** Its record in a payload, where a list of members is the change of the list. */
  payload: { record: TSchema; example: Record<string, unknown> };
}

export interface EntityReference extends NamedReference {
  pointsAt: PointedAt;
}

/** @throws Error if the target of a definition's foreign key is neither an entity of the list nor a setting */
export function createRegistry(definitions: readonly Declaration[], settings: readonly PointedAt[]): Entity[] {
  const entities = definitions.map(
    (definition): Entity => ({
      ...definition,
      references: [],
      referencedBy: [],
      actors: [],
      payload: { record: definition.record, example: {} },
    }),
  );
  const named = (name: string) => entities.find((entity) => entity.name === name);
  for (const [index, entity] of entities.entries()) {
    entity.actors = ACTORS.flatMap((name) => named(name) ?? []);
    for (const reference of definitions[index]!.references) {
      const target = named(reference.target);
      const pointsAt = target ?? settings.find(({ name }) => name === reference.target);
      if (!pointsAt)
        throw new Error(`${entity.name}.${reference.name} points at ${reference.target}, which is not an entity.`);
      entity.references.push({ ...reference, pointsAt });
      target?.referencedBy.push({ entity, column: reference.column, name: reference.name });
    }
    Object.assign(entity, contractOf(entity));
    entity.payload = payloadOf(entity);
  }
  return entities;
}

function payloadOf({ record, example, fields }: Entity): Entity["payload"] {
  const lists = fields.filter(({ list }) => list);
  const changed = lists.map(({ name, shown }) => [name, changeOfList(shown!)]);
  const examples = lists.map(({ name, example: Added }) => [name, { Added, Removed: [] }]);
  return {
    record: { ...record, properties: { ...record.properties, ...Object.fromEntries(changed) } },
    example: { ...example, ...Object.fromEntries(examples) },
  };
}

const changeOfList = (list: TSchema) =>
  Type.Union([
    Type.Object({ Added: list, Removed: list }),
    Type.Object({ AddedCount: Type.Integer(), RemovedCount: Type.Integer() }),
  ]);

function contractOf({ name, description, identifiers, fields, references }: Entity) {
  const all = inAnswerOrder<Field>([
    ...fields.map((field): [string, Field] => [field.name, field.name === "Id" ? idField(field, identifiers) : field]),
    ...references.map((one): [string, Field] => [one.name, shownReference(one)]),
    ...ACTOR_FIELDS.map((one): [string, Field] => [one.name, actorField(one)]),
  ]);
  const sentAs = `${description} Absent fields stay unchanged, null clears a field.`;
  return contract(name, description, Object.fromEntries(all), sentAs);
}

/** docs/behaviour.md "Write a record": an empty Id finds a record by its other identifiers. */
function idField(field: NamedField, identifiers: readonly string[]): Field {
  const { description } = field;
  const sent = `${description} Empty: the record is found by ${identifiers.join(", ")}, or is new.`;
  return { ...field, description: sent, answered: description, readOnly: false };
}

/** A row has the reference under its own name; the column has only the Id. */
function shownReference({ pointsAt, ...field }: EntityReference): Field {
  if (field.writeOnly) return field;
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

function actorField({ description }: (typeof ACTOR_FIELDS)[number]): Field {
  return {
    ...reference("", { description: `${description} The value is checked, but the server's own value is stored.` }),
    audit: undefined,
    answered: description,
    shown: ABSTRACT_LONG,
    show: (stored) => stored ?? NOBODY,
    example: EXAMPLE_ACTOR,
  };
}

/** The actor fields that every entity has; the server sets them. */
export const ACTOR_FIELDS = [
  { name: "ModifiedBy", description: "Who updated the record." },
  { name: "CreatedBy", description: "Who created the record." },
] as const;

/** docs/behaviour.md "Application": the order of a record's last fields. */
const LAST = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"];

/** A record's fields by name, in the order of responses. */
export function inAnswerOrder<T>(parts: [name: string, part: T][]): [name: string, part: T][] {
  const last = LAST.flatMap((name) => parts.filter((part) => part[0] === name));
  return [...parts.filter((part) => !last.includes(part)), ...last];
}
