// A resource, declared once: what may be sent and what is answered, for routes, services, the console and the documents.

import { type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { BadInput, type Problem } from "../errors.ts";
import { isObject, printable } from "./body.ts";
import type { Field, Fields, InputOf, RecordOf } from "./fields.ts";

/** What a body may be. */
export interface Body<Input> {
  schema: TSchema;
  /** @throws BadInput naming every field that does not fit */
  parse(body: unknown): Input;
}

export interface Contract<F extends Fields> extends Body<InputOf<F>> {
  name: string;
  fields: F;
  /** What is answered. */
  record: TSchema;
  example: RecordOf<F>;
  /** What a new record needs beside. @throws BadInput naming what is missing */
  whole<Name extends keyof F>(input: InputOf<F>, ...names: Name[]): Required<Pick<InputOf<F>, Name>>;
  /** @param record as the caller may read it @throws BadInput for what only the server sets, if it is not as it was read */
  refuseReadOnly(input: InputOf<F>, record: Partial<RecordOf<F>> | undefined): void;
  /** What the store calls the fields that are sent. */
  toColumns(input: InputOf<F>): Record<string, unknown>;
  /** What of a row policies may ask for. */
  judged(row: object): Partial<RecordOf<F>>;
  /** @param values of fields that are not simply stored */
  toRecord(row: object, values?: Partial<RecordOf<F>>): RecordOf<F>;
  /** Names of the fields of which something holds. */
  namesOf(holds: (field: Field) => unknown): string[];
}

export function contract<F extends Fields>(name: string, description: string, fields: F): Contract<F> {
  const entries = Object.entries(fields) as [string, Field][];
  const columnOf = (field: string) => fields[field]?.column ?? field.charAt(0).toLowerCase() + field.slice(1);
  const shown = entries.filter(([, field]) => field.shown);
  const recordOf = (of: [string, Field][], row: object, values: Record<string, unknown> = {}) =>
    Object.fromEntries(
      of.map(([key, { show }]) => {
        const stored = (row as Record<string, unknown>)[columnOf(key)];
        return [key, key in values ? values[key] : show ? show(stored) : stored];
      }),
    );
  return {
    ...body({ name, $id: `${name}Data`, description: "Absent fields are left alone." }, fields),
    name,
    fields,
    record: Type.Object(Object.fromEntries(shown.map(([key, field]) => [key, shownBy(field)])), {
      $id: name,
      description,
    }),
    example: Object.fromEntries(shown.map(([key, { example }]) => [key, example])) as RecordOf<F>,
    whole(input, ...names) {
      const missing = names.filter((key) => input[key] === undefined).map(String);
      if (missing.length > 0) {
        throw BadInput.in(missing.map((key) => ({ Field: key, Message: `${key} is missing.` })));
      }
      return input as Required<typeof input>;
    },
    refuseReadOnly(input, record) {
      const changed = entries.filter(([key, field]) => {
        if (!field.readOnly || input[key] === undefined) return false;
        return !(record && Bun.deepEquals(input[key], (record as typeof input)[key]));
      });
      if (changed.length === 0) return;
      throw BadInput.in(changed.map(([key, { must }]) => ({ Field: key, Message: `${key} ${must}` })));
    },
    toColumns: (input) =>
      Object.fromEntries(
        Object.entries(input).flatMap(([key, value]) => (fields[key]!.readOnly ? [] : [[columnOf(key), value]])),
      ),
    judged: (row) =>
      recordOf(
        shown.filter(([, { judged }]) => judged),
        row,
      ) as Partial<RecordOf<F>>,
    toRecord: (row, values) => recordOf(shown, row, values) as RecordOf<F>,
    namesOf: (holds) => entries.filter(([, field]) => holds(field)).map(([key]) => key),
  };
}

export interface BodyTold<F extends Fields, Name extends keyof F> {
  /** What errors call it. */
  name: string;
  /** What all of it has to be, in words. */
  must?: string;
  /** The fields that it cannot be without. */
  needs?: readonly Name[];
  /** What is wrong with those that fit by themselves. */
  together?(input: InputOf<F>): Problem | undefined;
  /** What the OpenAPI document calls it. */
  $id: string;
  description?: string;
}

/** A body that is no record. */
export function body<F extends Fields, Name extends keyof F = never>(
  { name, must = `one ${name} object`, needs = [], together, ...told }: BodyTold<F, Name>,
  fields: F,
): Body<InputOf<F> & Required<Pick<InputOf<F>, Name>>> {
  const sent = (Object.entries(fields) as [string, Field][]).filter(([, field]) => field.sent);
  const needed = needs.map(String);
  const check = problemsOf(fields);
  type Input = InputOf<F> & Required<Pick<InputOf<F>, Name>>;
  return {
    schema: Type.Object(
      Object.fromEntries(
        sent.map(([key, field]) => [key, needed.includes(key) ? sentBy(field) : Type.Optional(sentBy(field))]),
      ),
      { ...told, additionalProperties: false },
    ),
    parse(given) {
      if (!isObject(given)) throw new BadInput(`The body must be ${must}.`);
      const problems = Object.entries(given).flatMap(([key, value]) => {
        if (!Object.hasOwn(fields, key)) return { Field: "", Message: `${printable(key)} is no field of ${name}.` };
        const Message = check(key, value);
        return Message === undefined ? [] : { Field: key, Message };
      });
      const missing = needed.filter((key) => !(key in given));
      problems.push(...missing.map((key) => ({ Field: key, Message: `${key} is missing.` })));
      const wrong = new Set(problems.map((problem) => problem.Field));
      const fitting = Object.entries(given).filter(([key]) => Object.hasOwn(fields, key) && !wrong.has(key));
      const taken = Object.fromEntries(fitting.map(([key, value]) => [key, takenBy(fields[key]!, value)])) as Input;
      problems.push(...[together?.(taken) ?? []].flat());
      if (problems.length > 0) throw BadInput.in(problems);
      return taken;
    },
  };
}

/** A field that is an object of its own fields; all that is wrong in it is told at once. */
export function part<F extends Fields, Name extends keyof F = never>(
  told: BodyTold<F, Name>,
  fields: F,
): Field<InputOf<F> & Required<Pick<InputOf<F>, Name>>> {
  const { name } = told;
  const { schema, parse } = body(told, fields);
  return {
    sent: schema,
    checked: Type.Object({}),
    must: "must be an object.",
    refuse(value: unknown) {
      try {
        parse(value);
        return undefined;
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        return error.problems.map(({ Field, Message }) => (Field ? `${name}.${Message}` : Message)).join(" ");
      }
    },
    take: parse,
  };
}

/**
 * TypeBox's own check of each field, not Elysia's validation of the whole body: that one reads the body before scopes are
 * asked, says what is wrong in words of its own with the input in them, and stops at the first.
 */
function problemsOf(fields: Fields): (name: string, value: unknown) => string | undefined {
  const compiled = new Map<string, TypeCheck<TSchema>>();
  return (name, value) => {
    const field = fields[name]!;
    if (field.readOnly) return undefined;
    const check = compiled.get(name) ?? TypeCompiler.Compile(field.checked ?? field.sent!);
    compiled.set(name, check);
    const isText = typeof value !== "string" || value.isWellFormed();
    if (!check.Check(value) || !isText || field.fits?.(value as never) === false) return `${name} ${field.must}`;
    return field.refuse?.(value as never);
  };
}

const takenBy = ({ take }: Field, value: unknown) => (take ? take(value as never) : value);

function sentBy({ sent, description, documented, readOnly, writeOnly }: Field): TSchema {
  const marks = { ...(readOnly && { readOnly }), ...(writeOnly && { writeOnly }) };
  return { ...sent!, ...documented, ...(description && { description }), ...marks } as TSchema;
}

function shownBy({ shown, description, answered = description, documented }: Field): TSchema {
  return { ...shown!, ...documented, ...(answered && { description: answered }) } as TSchema;
}

// What the log tells of a change: names of fields, and values only of those that hold neither secrets nor people.

export type Details = { [name: string]: Detail };
type Detail = string | number | boolean | null | Detail[] | Details;

/** A record in its response shape. */
type Shape = Record<string, unknown>;

/**
 * Which fields differ, as Changed, and of those in `shown` how: `{ From, To }`, or of a list `{ Added, Removed }`.
 * @param shown fields whose values anybody who reads the log may see
 * @returns undefined if nothing differs
 */
export function changesOf(before: Shape, after: Shape, fields: string[], shown: string[]): Details | undefined {
  const changed = fields.filter((field) => !Bun.deepEquals(before[field], after[field]));
  if (changed.length === 0) return undefined;
  return { Changed: changed, ...valuesOf(before, after, changed, shown) };
}

/** The values of the fields in `shown` alone, of a record that is new, or gone. */
export function valuesShown(record: Shape, shown: string[]): Details {
  return Object.fromEntries(shown.map((field) => [field, record[field] as Detail]));
}

function valuesOf(before: Shape, after: Shape, changed: string[], shown: string[]): Details {
  const visible = changed.filter((field) => shown.includes(field));
  return Object.fromEntries(visible.map((field) => [field, difference(before[field], after[field])]));
}

function difference(from: unknown, to: unknown): Details {
  if (!Array.isArray(from) || !Array.isArray(to)) return { From: from as Detail, To: to as Detail };
  const without = (list: Detail[], others: Detail[]) => {
    const known = new Set(others.map((item) => JSON.stringify(item)));
    return list.filter((item) => !known.has(JSON.stringify(item)));
  };
  return { Added: without(to, from), Removed: without(from, to) };
}
