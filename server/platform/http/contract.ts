// Declarations of resources: input and output, for routes, services, the console and documents.

import { type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { BadInput, firstOf, type Problem } from "../errors.ts";
import { hasShortTexts, MAX_TEXT } from "../text.ts";
import { isObject, printable } from "./body.ts";
import {
  type Field,
  type FieldOptions,
  type Fields,
  type InputOf,
  keyOf,
  type LogRow,
  type RecordOf,
  readOnly,
} from "./fields.ts";

export interface Body<Input> {
  schema: TSchema;
  /** @throws BadInput naming every invalid field */
  parse(body: unknown): Input;
}

export interface Contract<F extends Fields> extends Body<InputOf<F>> {
  /** The fields that fit, and the problems of the others. */
  check(body: object): { input: InputOf<F>; problems: Problem[] };
  name: string;
  field: F;
  record: TSchema;
  example: RecordOf<F>;
  /** Checks required fields of a new record. @throws BadInput naming the missing fields */
  whole<Name extends keyof F>(input: InputOf<F>, ...names: Name[]): Required<Pick<InputOf<F>, Name>>;
  /**
   * @param isSeen whether the caller may read the record; called only if the answer depends on it
   * @throws BadInput if a read-only field would change
   */
  refuseReadOnly(input: InputOf<F>, record: object | undefined, isSeen?: () => boolean): void;
  /** The columns of a new row, without those of required fields. */
  blank(): Record<string, unknown>;
  /** @param before the stored row, for bodies with a part of a field */
  toColumns(input: InputOf<F>, before?: object): Record<string, unknown>;
  /** The fields of a row that policies may use. */
  judged(row: object): Partial<RecordOf<F>>;
  /** @param values of fields that are not stored directly */
  toRecord(row: object, values?: Partial<RecordOf<F>>): RecordOf<F>;
  namesOf(holds: (field: Field) => unknown): string[];
}

/** @param name of its schema in the OpenAPI document; "": it is part of another schema */
export function contract<F extends Fields>(
  name: string,
  description: string,
  fields: F,
  sentAs = "Absent fields stay unchanged.",
): Contract<F> {
  const entries = Object.entries(fields) as [string, Field][];
  const keys = new Map(entries.map(([key, field]) => [key, keyOf(key, field)]));
  const columnOf = (field: string) => keys.get(field)!;
  const shown = entries.filter(([, field]) => field.shown);
  const answered = shown.map(([key, { show, judged }]) => ({ key, column: columnOf(key), show, judged }));
  const judged = answered.filter((field) => field.judged);
  const recordOf = (of: typeof answered, row: object, values: Record<string, unknown> = {}) => {
    const record = {} as Record<string, unknown>;
    for (const { key, column, show } of of) {
      const stored = (row as Record<string, unknown>)[column];
      record[key] = key in values ? values[key] : show ? show(stored) : stored;
    }
    return record;
  };
  return {
    ...body({ name, $id: `${name}Data`, description: sentAs }, fields),
    name,
    field: fields,
    record: Type.Object(Object.fromEntries(shown.map(([key, field]) => [key, shownBy(field)])), {
      ...(name && { $id: name }),
      ...(description && { description }),
    }),
    example: Object.fromEntries(shown.map(([key, { example }]) => [key, example])) as RecordOf<F>,
    whole(input, ...names) {
      const missing = names.filter((key) => input[key] === undefined).map(String);
      if (missing.length > 0) {
        throw BadInput.in(missing.map((key) => ({ Field: key, Message: `${key} is missing.` })));
      }
      return input as Required<typeof input>;
    },
    refuseReadOnly(input, record, isSeen = () => true) {
      const values = (record ?? {}) as typeof input;
      const given = entries.filter(([key, { readOnly }]) => readOnly && input[key] !== undefined);
      // The caller has addressed the record by its Id.
      const isReadable = given.some(([key]) => key !== "Id") && isSeen();
      const changed = given.filter(
        ([key, { isEcho = Bun.deepEquals }]) =>
          !isEcho(input[key], key === "Id" || isReadable ? values[key] : undefined),
      );
      if (changed.length === 0) return;
      throw BadInput.in(changed.map(([key, { must }]) => ({ Field: key, Message: `${key} ${must}` })));
    },
    blank: () =>
      Object.fromEntries(
        entries
          .filter(([, { sent, readOnly, required }]) => sent && !readOnly && !required)
          .map(([key, { take, blank = take?.(null as never) ?? null }]) => [columnOf(key), blank]),
      ),
    toColumns: (input, before = {}) =>
      Object.fromEntries(
        Object.entries(input).flatMap(([key, value]) => {
          const [{ readOnly, merge }, column] = [fields[key]!, columnOf(key)];
          if (readOnly) return [];
          return [[column, merge ? merge((before as Record<string, unknown>)[column], value as never) : value]];
        }),
      ),
    judged: (row) => recordOf(judged, row) as Partial<RecordOf<F>>,
    toRecord: (row, values) => recordOf(answered, row, values) as RecordOf<F>,
    namesOf: (holds) => entries.filter(([, field]) => holds(field)).map(([key]) => key),
  };
}

/** A list of objects with their own fields. */
export const each = <F extends Fields>({ record, example, toRecord }: Contract<F>, options: FieldOptions) =>
  readOnly(Type.Unsafe<RecordOf<F>[]>(Type.Array(record)), { example: [example], ...options }, (rows: LogRow<F>[]) =>
    rows.map((row) => toRecord(row)),
  );

/** The answer that shows a new secret, and no other answer does. */
export function withSecret<F extends Fields>({ record, example }: Contract<F>, name: string, key: string) {
  const schema = Type.String({ description: "It is never shown again." });
  return {
    schema: Type.Object({ ...record.properties, [key]: schema }, { $id: name }),
    example: { ...example, [key]: `<${key.toUpperCase()}>` },
  };
}

export interface BodyOptions<F extends Fields, Name extends keyof F> {
  name: string;
  /** The valid bodies in words, for errors. */
  must?: string;
  needs?: readonly Name[];
  /** Checks between valid fields. */
  together?(input: InputOf<F>): Problem | undefined;
  $id: string;
  description?: string;
}

/** A request body that is not a record. */
export function body<F extends Fields, Name extends keyof F = never>(
  { name, must = `one ${name} object`, needs = [], together, ...options }: BodyOptions<F, Name>,
  fields: F,
): Body<InputOf<F> & Required<Pick<InputOf<F>, Name>>> & Pick<Contract<F>, "check"> {
  const sent = (Object.entries(fields) as [string, Field][]).filter(([, field]) => field.sent);
  const needed = needs.map(String);
  const check = problemsOf(fields);
  type Input = InputOf<F> & Required<Pick<InputOf<F>, Name>>;
  return {
    schema: Type.Object(
      Object.fromEntries(
        sent.map(([key, field]) => [key, needed.includes(key) ? sentBy(field) : Type.Optional(sentBy(field))]),
      ),
      { ...options, additionalProperties: false },
    ),
    parse(given) {
      if (!isObject(given)) throw new BadInput(`The body must be ${must}.`);
      const { input, problems } = checkAll(given);
      if (problems.length > 0) throw BadInput.in(problems);
      return input;
    },
    check: checkAll,
  };

  function checkAll(given: object) {
    const problems = Object.entries(given).flatMap(([key, value]) => {
      if (!Object.hasOwn(fields, key)) return { Field: "", Message: `${printable(key)} is not a field of ${name}.` };
      const Message = check(key, value);
      return Message === undefined ? [] : { Field: key, Message };
    });
    const missing = needed.filter((key) => !(key in given));
    problems.push(...missing.map((key) => ({ Field: key, Message: `${key} is missing.` })));
    const wrong = new Set(problems.map((problem) => problem.Field));
    const fitting = Object.entries(given).filter(([key]) => Object.hasOwn(fields, key) && !wrong.has(key));
    const taken = Object.fromEntries(fitting.map(([key, value]) => [key, takenBy(fields[key]!, value)])) as Input;
    problems.push(...[together?.(taken) ?? []].flat());
    return { input: taken, problems };
  }
}

/** A field that is an object with its own fields; all its problems are reported together. */
export function part<F extends Fields, Name extends keyof F = never>(
  options: BodyOptions<F, Name>,
  fields: F,
): Field<InputOf<F> & Required<Pick<InputOf<F>, Name>>> {
  const { name } = options;
  const { schema, parse } = body(options, fields);
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
        return firstOf(
          error.problems.map(({ Field, Message }) => (Field ? `${name}.${Message}` : Message)),
          String,
        ).join(" ");
      }
    },
    take: parse,
  };
}

/**
 * Checks each field with TypeBox. Elysia's validation would read the body before scopes are checked, repeat the input
 * in its errors, and stop at the first error.
 */
function problemsOf(fields: Fields): (name: string, value: unknown) => string | undefined {
  const compiled = new Map<string, TypeCheck<TSchema>>();
  return (name, value) => {
    const field = fields[name]!;
    // Before anything else touches a text.
    const { maxLength = MAX_TEXT } = field;
    if (typeof value === "string" && value.length > maxLength) {
      return `${name} has ${value.length} characters; the limit is ${maxLength}.`;
    }
    if (typeof value !== "string" && !hasShortTexts(value))
      return `${name} has a text of more than ${MAX_TEXT} characters.`;
    if (field.readOnly) return undefined;
    const check = compiled.get(name) ?? TypeCompiler.Compile(field.checked ?? field.sent!);
    compiled.set(name, check);
    const isText = typeof value !== "string" || value.isWellFormed();
    if (!check.Check(value) || !isText || field.fits?.(value as never) === false) return `${name} ${field.must}`;
    return field.refuse?.(value as never, name);
  };
}

/** A list of texts is a set: its order is that of the first occurrences. */
function takenBy({ take }: Field, value: unknown): unknown {
  const taken: unknown = take ? take(value as never) : value;
  const isOfTexts = Array.isArray(taken) && taken.every((one) => typeof one === "string");
  return isOfTexts ? [...new Set(taken)] : taken;
}

function sentBy({ sent, description, documented, readOnly, writeOnly }: Field): TSchema {
  const marks = { ...(readOnly && { readOnly }), ...(writeOnly && { writeOnly }) };
  return { ...sent!, ...documented, ...(description && { description }), ...marks } as TSchema;
}

function shownBy({ shown, description, answered = description, documented }: Field): TSchema {
  return { ...shown!, ...documented, ...(answered && { description: answered }) } as TSchema;
}

// Audit details of a change: field names, and values only of fields without secrets or personal data.

export type Details = { [name: string]: Detail };
type Detail = string | number | boolean | null | Detail[] | Details;

type Shape = Record<string, unknown>;

/**
 * The changed field names as Changed, and the values of those in `shown`: `{ From, To }`, or `{ Added, Removed }` for
 * lists. Undefined if nothing differs.
 * @param shown fields with values that all readers of the log may see
 */
export function changesOf(before: Shape, after: Shape, fields: string[], shown: string[]): Details | undefined {
  const changed = fields.filter((field) => !Bun.deepEquals(before[field], after[field]));
  if (changed.length === 0) return undefined;
  return { Changed: changed, ...valuesOf(before, after, changed, shown) };
}

/** The values of the fields in `shown`, for a new or deleted record. */
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
