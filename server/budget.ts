// What all tenants share, in shares: how much of one thing a tenant may have under way, and how much more may wait for
// it. docs/configuration.md "Budgets of a tenant" lists the budgets.

import { ServiceBusy, TenantBusy } from "./errors.ts";
import type { TenantId } from "./ids.ts";

export interface BudgetLimits {
  /** What is shared, in the plural, as the error names it: "policy checks". */
  name: string;
  /** Under way at once for each tenant, in this process. */
  perTenant: number;
  /** Under way at once for all tenants, in this process. */
  total?: number;
  /** Of each tenant; more are refused at once. */
  waiting: number;
  /** Who has waited longer is refused when its turn comes. */
  longestWaitMs?: number;
}

/** `Tenant` is what a tenant goes by. */
export interface Budget<Tenant extends string = TenantId> {
  /** Takes a free place without waiting, for callers that hold another resource. @returns what gives it back */
  enter(tenantId: Tenant): (() => void) | undefined;
  /** Does the work when it is the tenant's turn. @throws TenantBusy, ServiceBusy */
  run<T>(tenantId: Tenant, work: () => Promise<T>): Promise<T>;
  /** As `run`, for work that ends elsewhere. @returns gives the place back; to be called once or more. @throws as `run` */
  take(tenantId: Tenant): Promise<() => void>;
}

interface Share {
  running: number;
  waiting: (() => void)[];
}

/** Requests of one tenant are served in order; tenants take turns. */
export function createBudget<Tenant extends string = TenantId>(limits: BudgetLimits): Budget<Tenant> {
  const { perTenant, total = Number.POSITIVE_INFINITY, longestWaitMs = Number.POSITIVE_INFINITY } = limits;
  /** Of tenants with work under way or waiting; who had the last turn comes last. */
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
