import type { TenantId } from "../../../platform/ids.ts";

/** The fallback for lost notifications. */
const MAX_AGE_MS = 30_000;
/** Above this number, the oldest tenants are evicted. */
const ENTRIES = 20_000;

export interface TenantCache<Value> {
  get(tenantId: TenantId, key: string): Promise<Value>;
  /** @param key default: all of the tenant's values */
  drop(tenantId: TenantId, key?: string): void;
  dropWhere(tenantId: TenantId, matches: (key: string) => boolean): void;
  /** The cache is used only while change notifications arrive. */
  clear(hearing: boolean): void;
}

/** A value dropped while it loads is returned to its callers but not cached. */
export function createTenantCache<Value>(
  load: (tenantId: TenantId, key: string) => Promise<Value>,
): TenantCache<Value> {
  const tenants = new Map<TenantId, Map<string, { value: Promise<Value>; until: number }>>();
  let size = 0;
  let keeping = false;

  function drop(tenantId: TenantId, key?: string): void {
    const entries = tenants.get(tenantId);
    if (key === undefined) {
      size -= entries?.size ?? 0;
      tenants.delete(tenantId);
    } else if (entries?.delete(key)) {
      size--;
    }
  }

  function keep(tenantId: TenantId, key: string, value: Promise<Value>): void {
    const entries = tenants.get(tenantId) ?? new Map();
    if (!entries.has(key)) size++;
    entries.set(key, { value, until: Date.now() + MAX_AGE_MS });
    tenants.set(tenantId, entries);
    value.catch(() => tenants.get(tenantId)?.get(key)?.value === value && drop(tenantId));
    for (const oldest of tenants.keys()) {
      if (size <= ENTRIES) break;
      drop(oldest);
    }
  }

  return {
    get(tenantId, key) {
      const known = tenants.get(tenantId)?.get(key);
      if (known && known.until > Date.now()) return known.value;
      const value = load(tenantId, key);
      if (keeping) keep(tenantId, key, value);
      return value;
    },
    drop,
    dropWhere(tenantId, matches) {
      for (const key of tenants.get(tenantId)?.keys() ?? []) if (matches(key)) drop(tenantId, key);
    },
    clear(hearing) {
      tenants.clear();
      size = 0;
      keeping = hearing;
    },
  };
}
