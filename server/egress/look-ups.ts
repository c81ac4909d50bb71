// Names that are being looked up: each once at a time for all who ask, and of a tenant no more than its share.

import { LRUCache } from "lru-cache";
import { createBudget } from "../budget.ts";
import { EgressError } from "./failures.ts";
import type { Resolve } from "./resolver.ts";

/** Names being looked up at a time, and those of one tenant. More at once are lost on their way to a name server. */
const MOST = 200;
const MOST_OF_A_TENANT = 20;
/** A name that could not be resolved is not asked for again so soon. Answers are kept by the resolver itself. */
const FAILURE_KEPT_MS = 5_000;
/** Names whose failure is kept. */
const MOST_KEPT = 10_000;

export interface LookUps {
  /** @throws EgressError `dns`, or `unsent` if there is no place for one more name */
  addressesOf(tenantId: string, name: string): Promise<string[]>;
}

export function createLookUps(resolve: Resolve): LookUps {
  const places = createBudget<string>({ name: "look-ups", perTenant: MOST_OF_A_TENANT, total: MOST, waiting: 0 });
  const underWay = new Map<string, Promise<string[]>>();
  const failed = new LRUCache<string, EgressError>({ max: MOST_KEPT, ttl: FAILURE_KEPT_MS });

  async function lookUp(tenantId: string, name: string): Promise<string[]> {
    const leave = places.enter(tenantId);
    if (!leave) throw new EgressError("unsent", `${name} was not looked up, for too many names are being looked up`);
    try {
      const answers = await resolve(name).catch((error) => {
        throw unresolved(name, error);
      });
      if (answers.length === 0) throw new EgressError("dns", `${name} has no address`);
      return answers;
    } catch (error) {
      failed.set(name, error as EgressError);
      throw error;
    } finally {
      leave();
    }
  }

  return {
    async addressesOf(tenantId, name) {
      const kept = failed.get(name);
      if (kept) throw kept;
      const running = underWay.get(name);
      if (running) return running;
      const begun = lookUp(tenantId, name).finally(() => underWay.delete(name));
      underWay.set(name, begun);
      return begun;
    },
  };
}

function unresolved(name: string, error: unknown): EgressError {
  const { code } = Object(error) as { code?: unknown };
  return new EgressError("dns", `${name} cannot be resolved${typeof code === "string" ? ` (${code})` : ""}`);
}
