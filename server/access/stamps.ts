// Who made and changed a Policy or a Role, and when, in a body that was read before.

import { BadInput } from "../errors.ts";
import type { Caller } from "./bearer.ts";

export interface Stamped {
  createdOn: Date;
  /** AbstractLong (docs/behaviour.md "Foreign keys"), or null. */
  createdBy: unknown;
  modifiedOn: Date;
  modifiedBy: unknown;
}

const STAMPS = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"];

export const NOBODY = { Id: 0, ExternalId: "", Name: "", Type: "" };

/**
 * They may come back as they were read, but not changed; from who may not read them, not at all.
 * @throws BadInput
 */
export function refuseChangedStamps(
  { gate }: Pick<Caller, "gate">,
  type: string,
  input: Record<string, unknown>,
  before: Record<string, unknown> | undefined,
): void {
  const sent = Object.entries(input).filter(([name, value]) => STAMPS.includes(name) && value !== null);
  if (sent.length === 0) return;
  const current = before && gate.sees(type, before) ? before : {};
  const changed = sent.filter(([name, value]) => !isEcho(value, current[name]));
  if (changed.length > 0) {
    throw new BadInput(...changed.map(([name]) => `${name} is set by the server and cannot be changed.`));
  }
}

/** Of a foreign key its Id and Type: its Name may be one that the caller was not shown. */
function isEcho(value: unknown, own: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === own;
  const [sent, stored] = [value, own ?? {}] as Record<string, unknown>[];
  return sent!.Id === stored!.Id && sent!.Type === stored!.Type;
}
