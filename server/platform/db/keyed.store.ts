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
  /** Of this process. After a long pause, a second process takes over. */
  reservation: string;
}

interface Running extends KeyedRequest {
  ids: (string | number)[];
  isChanged: boolean;
  /** Later work that the request has started is not part of it. */
  isOver: boolean;
}

const requests = new AsyncLocalStorage<Running>();
const noted = new WeakSet<Transaction>();

/** Runs a request; its changes are those of the key. @returns also whether there were any */
export async function runKeyed<T>(
  request: KeyedRequest,
  run: () => Promise<T>,
): Promise<[answer: T, isChanged: boolean]> {
  const running = { ...request, ids: [], isChanged: false, isOver: false };
  try {
    return [await requests.run(running, run), running.isChanged];
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
    request.isChanged = true;
    const { tenantId, caller, digest, reservation } = request;
    atCommit(
      tx,
      (last) => last`select finish_keyed(${tenantId}, ${caller}, ${digest}, ${reservation}, ${last.json(request.ids)})`,
    );
  }
  if (id !== undefined) request.ids.push(id);
}
