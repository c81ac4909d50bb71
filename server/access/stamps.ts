// Who made and changed a Policy or a Role, and when; named as those of an entity's record.

import { BadInput } from "../errors.ts";

export interface Stamped {
  createdOn: Date;
  /** SPEC.md's AbstractLong, or null. */
  createdBy: unknown;
  modifiedOn: Date;
  modifiedBy: unknown;
}

export const STAMPS = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"];

const NOBODY = { Id: 0, ExternalId: "", Name: "", Type: "" };

export function stampsOf(row: Stamped) {
  return {
    ModifiedOn: row.modifiedOn.toISOString(),
    ModifiedBy: row.modifiedBy ?? NOBODY,
    CreatedBy: row.createdBy ?? NOBODY,
    CreatedOn: row.createdOn.toISOString(),
  };
}

/**
 * They may come back as they were read, but not changed.
 * @throws BadInput
 */
export function refuseChangedStamps(echoes: Record<string, unknown> | undefined, before: Stamped | undefined): void {
  const current: Record<string, unknown> = before ? stampsOf(before) : {};
  const changed = Object.entries(echoes ?? {}).filter(
    ([name, value]) => value !== null && !Bun.deepEquals(value, current[name]),
  );
  if (changed.length > 0) {
    throw new BadInput(...changed.map(([name]) => `${name} is set by the server and cannot be changed.`));
  }
}
