// Fair shares of a resource: how much of it a tenant may use at once, and how much may wait. docs/configuration.md
// "Budgets of a tenant" lists the budgets.

import { ServiceBusy, TenantBusy } from "./errors.ts";
import type { TenantId } from "./ids.ts";

export interface BudgetLimits {
  /** The resource in the plural, for errors: "policy checks". */
  name: string;
  /** The maximum in use per tenant, in this process. */
  perTenant: number;
  /** The maximum in use for all tenants, in this process. */
  total?: number;
  /** The maximum waiting per tenant; more are rejected at once. */
  waiting: number;
  /** Requests that waited longer are rejected. */
  longestWaitMs?: number;
}

/** `Tenant` is the type of the key. */
export interface Budget<Tenant extends string = TenantId> {
  /**
   * Takes a free place without waiting, for callers that hold a different resource. @returns a function that releases
   * it
   */
  enter(tenantId: Tenant): (() => void) | undefined;
  /** Runs the work when the tenant has a place. @throws TenantBusy, ServiceBusy */
  run<T>(tenantId: Tenant, work: () => Promise<T>): Promise<T>;
  /**
   * Like `run`, for work that ends elsewhere. @returns a function that releases the place and can be called repeatedly.
   * @throws TenantBusy, ServiceBusy
   */
  take(tenantId: Tenant): Promise<() => void>;
}

interface Share {
  running: number;
  waiting: (() => void)[];
}

/** A tenant's requests are served in order; tenants take turns. */
export function createBudget<Tenant extends string = TenantId>(limits: BudgetLimits): Budget<Tenant> {
  const { perTenant, total = Number.POSITIVE_INFINITY, longestWaitMs = Number.POSITIVE_INFINITY } = limits;
  /** Tenants with work in progress or waiting, in the order of their next turn. */
  const shares = new Map<Tenant, Share>();
  let running = 0;

  const hasRoom = (share: Share) => running < total && share.running < perTenant;

  function begin(tenantId: Tenant, share: Share): void {
    running++;
    share.running++;
    shares.delete(tenantId);
    shares.set(tenantId, share);
  }

  function end(tenantId: Tenant, share: Share): void {
    running--;
    share.running--;
    if (share.running + share.waiting.length === 0) shares.delete(tenantId);
    for (const [id, other] of shares) {
      if (!hasRoom(other)) continue;
      const next = other.waiting.shift();
      if (!next) continue;
      begin(id, other);
      next();
    }
  }

  function enter(tenantId: Tenant): (() => void) | undefined {
    const share = shares.get(tenantId) ?? { running: 0, waiting: [] };
    if (!hasRoom(share)) return undefined;
    begin(tenantId, share);
    return releaseOf(tenantId, share);
  }

  function releaseOf(tenantId: Tenant, share: Share): () => void {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      end(tenantId, share);
    };
  }

  async function take(tenantId: Tenant): Promise<() => void> {
    const entered = enter(tenantId);
    if (entered) return entered;
    const share = shares.get(tenantId) ?? { running: 0, waiting: [] };
    if (share.waiting.length >= limits.waiting) throw new TenantBusy(limits);
    const asked = performance.now();
    shares.set(tenantId, share);
    await new Promise<void>((resolve) => share.waiting.push(resolve));
    const release = releaseOf(tenantId, share);
    if (performance.now() - asked <= longestWaitMs) return release;
    release();
    throw new ServiceBusy();
  }

  return {
    enter,
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
