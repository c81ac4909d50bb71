// Loaded before a process of the product (`bun --preload`): sets its clock ahead of PostgreSQL's by CLOCK_AHEAD_MS.

const ahead = Number(process.env.CLOCK_AHEAD_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  // biome-ignore lint/suspicious/noExplicitAny: Date has several signatures.
  constructor(...values: any[]) {
    if (values.length === 0) super(RealDate.now() + ahead);
    else super(...(values as [number]));
  }

  static override now(): number {
    return RealDate.now() + ahead;
  }
} as DateConstructor;

const realUuid = Bun.randomUUIDv7;
Bun.randomUUIDv7 = ((encoding = "hex" as const, at: Date | number = Date.now()) =>
  realUuid(encoding as "hex", at)) as typeof Bun.randomUUIDv7;
