// The limits of a tenant over all processes (docs/configuration.md "Limits of a tenant").

interface LimitOptions {
  /** The installation's value, which is also the maximum of a tenant's own. */
  variable: string;
  byDefault: number;
  unit: string;
  label: string;
  description: string;
  /** The advice near the limit, besides raising it. */
  cure: string;
}

export const LIMITS = {
  MaxRecords: {
    variable: "TENANT_MAX_RECORDS",
    byDefault: 10_000_000,
    unit: "records",
    label: "Records",
    description: "Maximum number of records of all entities",
    cure: "Delete records that are not needed",
  },
  MaxConnections: {
    variable: "TENANT_MAX_CONNECTIONS",
    byDefault: 1_000,
    unit: "webhook connections",
    label: "Webhook connections",
    description: "Maximum number of webhook connections, also of paused ones",
    cure: "Delete connections that are not needed",
  },
  MaxEventsPerDay: {
    variable: "TENANT_MAX_EVENTS_PER_DAY",
    byDefault: 10_000_000,
    unit: "events a day",
    label: "Events today, in UTC",
    description: "Maximum number of events of a day, in UTC. An array of records is one event for each kind of change",
    cure: "Send changes in arrays, and only those that are needed",
  },
  MaxRequestsPerSecond: {
    variable: "TENANT_MAX_REQUESTS_PER_SECOND",
    byDefault: 10_000,
    unit: "requests a second",
    label: "Requests a second, at most in 10 minutes",
    description: "Maximum number of requests with a token or a client's credentials per second, on all processes",
    cure: "Send changes in arrays, and repeat no token request while its token is valid",
  },
  MaxStorageMegabytes: {
    variable: "TENANT_MAX_STORAGE_MEGABYTES",
    byDefault: 1_000_000,
    unit: "megabytes",
    label: "Storage in MB",
    description: "Maximum size of the kept changes, deliveries and audit events, as measured every hour",
    cure: "Keep less by a lower RetentionDays",
  },
} as const satisfies Record<string, LimitOptions>;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];
export type TenantBounds = Record<LimitName, number>;

/** The maximum that each limit can be set to. */
export const MAX_BOUND = 999_999_999;
/** The percentage of a limit from which it is shown as near. */
export const NEAR_PERCENT = 80;

export function boundsBy(boundOf: (limit: LimitOptions) => number): TenantBounds {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, boundOf(LIMITS[name])])) as TenantBounds;
}

/** A tenant's own limits apply up to the installation's. */
export function effective(installation: TenantBounds, own: Record<LimitName, number | null>): TenantBounds {
  const of = (name: LimitName) => Math.min(own[name] ?? installation[name], installation[name]);
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, of(name)])) as TenantBounds;
}
