// Fair shares of a resource: how much of it a tenant may use at once, and how much may wait. docs/configuration.md
// "Budgets of a tenant" lists the budgets.

import { ServiceBusy, TenantBusy } from "./errors.ts";
import type { TenantId } from "./ids.ts";

export interface BudgetLimits {
  /** The resource in the plural, for errors: "policy checks". */
  name: string;
  /** The holder of a share, for errors. Default: "This tenant has". */
  holder?: string;
  /** The maxima in use in this process: per tenant, and for all. */
  perTenant: number;
  total?: number;
  /** The maximum waiting per tenant; more are rejected at once. */
  waiting: number;
  longestWaitMs?: number;
}

export interface Budget<Tenant extends string = TenantId> {
  /**
   * Takes a free place without waiting, for callers that hold a different resource. A tenant has at most as many as are
   * still free, so some remain for a tenant with few.
   * @returns a function that releases it
   */
  enter(tenantId: Tenant): (() => void) | undefined;
  isFull(tenantId: Tenant): boolean;
  /** Whether the tenant has nothing in progress or waiting. */
  isIdle(tenantId: Tenant): boolean;
  /** Runs the work when the tenant has a place. @throws TenantBusy, ServiceBusy */
  run<T>(tenantId: Tenant, work: () => Promise<T>): Promise<T>;
  /** For work that ends elsewhere. @returns a release that may be called repeatedly @throws TenantBusy, ServiceBusy */
  take(tenantId: Tenant): Promise<() => void>;
}

interface Share {
  running: number;
  waiting: ((release: () => void) => void)[];
}

/** A tenant's requests are served in order; tenants take turns. */
export function createBudget<Tenant extends string = TenantId>(limits: BudgetLimits): Budget<Tenant> {
  const { perTenant, total = Number.POSITIVE_INFINITY, longestWaitMs = Number.POSITIVE_INFINITY } = limits;
  /** Tenants with work in progress or waiting, in the order of their next turn. */
  const shares = new Map<Tenant, Share>();
  let running = 0;

  const hasRoom = (share: Share) => running < total && share.running < perTenant;

  function begin(tenantId: Tenant, share: Share): () => void {
    running++;
    share.running++;
    shares.delete(tenantId);
    shares.set(tenantId, share);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      end(tenantId, share);
    };
  }

  function end(tenantId: Tenant, share: Share): void {
    running--;
    share.running--;
    if (share.running + share.waiting.length === 0) shares.delete(tenantId);
    for (const [id, other] of shares) {
      if (!hasRoom(other)) continue;
      const next = other.waiting.shift();
      if (!next) continue;
      next(begin(id, other));
    }
  }

  const shareOf = (tenantId: Tenant): Share => shares.get(tenantId) ?? { running: 0, waiting: [] };

  const isFull = (tenantId: Tenant) => shareOf(tenantId).running >= Math.min(perTenant, total - running);

  async function take(tenantId: Tenant): Promise<() => void> {
    const share = shareOf(tenantId);
    if (hasRoom(share)) return begin(tenantId, share);
    if (share.waiting.length >= limits.waiting) throw new TenantBusy(limits);
    const asked = performance.now();
    shares.set(tenantId, share);
    const release = await new Promise<() => void>((resolve) => share.waiting.push(resolve));
    if (performance.now() - asked <= longestWaitMs) return release;
    release();
    throw new ServiceBusy();
  }

  return {
    enter: (tenantId) => (isFull(tenantId) ? undefined : begin(tenantId, shareOf(tenantId))),
    isFull,
    isIdle: (tenantId) => !shares.has(tenantId),
    take,
    async run(tenantId, work) {
      const release = await take(tenantId);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

export interface CallersLimits {
  name: string;
  /** The caller in errors. Default: "This caller has". */
  holder?: string;
  perCaller: number;
  perTenant: number;
}

/** Shares of a tenant's callers, so that one of them cannot use the tenant's whole share. As `take`, without waiting. */
export function createCallersBudget({ name, holder = "This caller has", perCaller, perTenant }: CallersLimits) {
  const tenants = createBudget({ name, perTenant, waiting: 0 });
  const callers = createBudget<string>({ name, holder, perTenant: perCaller, waiting: 0 });
  return async (tenantId: TenantId, { type, id }: { type: string; id: number }): Promise<() => void> => {
    const leave = await callers.take(`${tenantId}/${type}/${id}`);
    try {
      const release = await tenants.take(tenantId);
      return () => {
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
}
