// Tagged templates of SQL. The driver makes a promise of each one, also of the parts of a statement, and a statement may
// have twenty. Here a part is only its text and values, and the driver gets whole statements.

import postgres from "postgres";

export type Driver = postgres.Sql<{ int8: number }>;

/** The driver's types omit these members. `handler` is called when the statement is first awaited. */
export interface DriverQuery extends Promise<unknown> {
  /** The parts of its text. */
  readonly strings: readonly string[];
  /** The driver asks for its types first; set when it is executed. */
  readonly describeFirst?: unknown;
  handler(statement: DriverQuery): void;
  reject(error: unknown): void;
}

/** Gives access to the driver's classes, which it does not export. Without a statement, it never connects. */
const driverItself = postgres({ max: 1 }) as unknown as Driver;
const make = driverItself as unknown as (...parts: unknown[]) => object;

interface DriverBuilder {
  build(before: string, values: unknown[], types: number[], options: unknown): string;
}
/** Of `sql(values)` and `sql(names)`; the driver asks instances for their text. */
const Builder = make({}).constructor as new (...parts: unknown[]) => DriverBuilder;
const Identifier = make("").constructor as new (name: string) => { value: string };
const Parameter = driverItself.typed(0 as never, 0).constructor as new (value: unknown, type: number) => ParameterOf;
interface ParameterOf {
  value: unknown;
  type: number;
  array?: Record<number, number>;
}

/** Where each template is in the code, as an error, whose stack is added to failures of its statements. */
const places = new WeakMap<readonly string[], Error>();
const PLACE_FRAMES = 5;

interface Placed {
  place?: Error | undefined;
}
const queries = Object.getPrototypeOf(driverItself.unsafe("")) as object;
// The driver's own implementation keeps a stack for each different text, without a limit.
Object.defineProperty(queries, "origin", {
  get(this: Placed) {
    return this.place?.stack ?? "";
  },
});

/** A statement or a part of one; a statement once it is awaited. */
export class Template extends Builder {
  private query: DriverQuery | undefined;

  constructor(
    readonly driver: Driver,
    readonly run: (statement: DriverQuery) => void,
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {
    super();
    if ("raw" in strings) notePlace(strings);
  }

  /** Its text, as the driver calls it for its own builders. Values are numbered by the list of their types. */
  override build(before: string, values: unknown[], types: number[], options: unknown): string {
    const { strings, values: own } = this;
    let text = strings[0]!;
    for (let index = 0; index < own.length; index++) {
      const value = own[index];
      text +=
        value instanceof Template && value.values.length === 0
          ? value.strings[0]!
          : textOf(value, before + text, values, types, options);
      text += strings[index + 1]!;
    }
    return text;
  }

  /** Made when it is first needed. */
  protected statement(): DriverQuery {
    this.query ??= this.made();
    return this.query;
  }

  protected made(): DriverQuery {
    const values: unknown[] = [];
    const types: number[] = [];
    const text = this.build("", values, types, this.driver.options);
    // The driver infers the same type of other values.
    for (let index = 0; index < types.length; index++) {
      if (types[index]) values[index] = new Parameter(values[index], types[index]!);
    }
    // The simple protocol, its default for a statement without values, would parse it each time.
    const options = { prepare: true, simple: false };
    const query = this.driver.unsafe(text, values as never[], options) as unknown as DriverQuery & Placed;
    query.place = places.get(this.strings);
    query.handler = this.run;
    return query;
  }
}

/** A text of SQL, as a statement or a part. */
export class PlainText extends Template {
  constructor(
    driver: Driver,
    run: (statement: DriverQuery) => void,
    readonly parts: Parameters<Driver["unsafe"]>,
  ) {
    super(driver, run, [parts[0]], []);
  }

  protected override made(): DriverQuery {
    const query = this.driver.unsafe(...this.parts) as unknown as DriverQuery;
    query.handler = this.run;
    return query;
  }
}

for (const name of ["then", "catch", "finally", "execute", "describe"]) {
  Object.defineProperty(Template.prototype, name, {
    value(this: { statement(): Record<string, (...parts: unknown[]) => unknown> }, ...parts: unknown[]) {
      return this.statement()[name]!(...parts);
    },
  });
}

function textOf(value: unknown, before: string, values: unknown[], types: number[], options: unknown): string {
  if (value instanceof Builder) return value.build(before, values, types, options);
  if (value instanceof Identifier) return value.value;
  if (Array.isArray(value) && value[0] instanceof Template) {
    return value.reduce((text, one) => `${text} ${textOf(one, before + text, values, types, options)}`, "");
  }
  if (value === undefined) throw new Error("A statement has an undefined value.");
  if (value instanceof Parameter) {
    values.push(value.value);
    types.push(value.array?.[value.type] ?? value.type);
  } else {
    values.push(value);
    types.push(typeOf(value));
  }
  return `$${types.length}`;
}

/** As the driver infers it; 0: PostgreSQL does. */
function typeOf(value: unknown): number {
  if (value instanceof Date) return 1184;
  if (value instanceof Uint8Array) return 17;
  if (typeof value === "boolean") return 16;
  if (typeof value === "bigint") return 20;
  return Array.isArray(value) ? typeOf(value[0]) : 0;
}

function notePlace(strings: readonly string[]): void {
  if (places.has(strings)) return;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = PLACE_FRAMES;
  places.set(strings, new Error());
  Error.stackTraceLimit = limit;
}
