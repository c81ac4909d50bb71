// A request with an Idempotency-Key: its change notes the key in its own transaction
// (docs/decisions/0018-idempotency-keys.md).

import { AsyncLocalStorage } from "node:async_hooks";
import type { TenantId } from "../ids.ts";
import { atCommit, type Queries, type Transaction } from "./sql.ts";

export interface KeyedRequest {
  tenantId: TenantId;
  /** The client, and the user if there is one. */
  caller: string;
  digest: Buffer;
}

interface Running extends KeyedRequest {
  ids: (string | number)[];
  /** Later work that the request has started is not part of it. */
  isOver: boolean;
}

const requests = new AsyncLocalStorage<Running>();
const noted = new WeakSet<Transaction>();

/** Runs a request; its changes are those of the key. */
export async function runKeyed<T>(request: KeyedRequest, run: () => Promise<T>): Promise<T> {
  const running = { ...request, ids: [], isOver: false };
  try {
    return await requests.run(running, run);
  } finally {
    running.isOver = true;
  }
}

/** Each change calls it. @param id of a changed record */
export function noteChange(tx: Queries, id?: string | number): void {
  const request = requests.getStore();
  if (!request || request.isOver || !("isTransaction" in tx)) return;
  if (!noted.has(tx)) {
    noted.add(tx);
    // A repeated transaction starts again.
    request.ids = [];
    const { tenantId, caller, digest } = request;
    atCommit(
      tx,
      (last) => last`
        update idempotency_keys set done_on = now(), record_ids = ${last.json(request.ids)}
        where tenant_id = ${tenantId} and caller = ${caller} and digest = ${digest}`,
    );
  }
  if (id !== undefined) request.ids.push(id);
}
