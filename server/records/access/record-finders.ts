import type { FindRecords } from "./gate/references.ts";

/**
 * Finds records of every type by Id. Policies need the records of services that need policies themselves. So access is
 * created first, and each service then registers its own records.
 */
export interface RecordFinders {
  /** Returns nothing for a type without a finder. */
  find: FindRecords;
  add(type: string, find: FindRecords): void;
}

export function createRecordFinders(): RecordFinders {
  const finders = new Map<string, FindRecords>();
  return {
    find: async (sql, tenantId, type, ids) => (await finders.get(type)?.(sql, tenantId, type, ids)) ?? [],
    add: (type, find) => finders.set(type, find),
  };
}
