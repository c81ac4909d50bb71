// The statements of a transaction in its session. Each round trip costs more than most statements, so the first
// one goes with "begin" if it only reads, and the last ones with "commit".

import type { PendingQuery, Row } from "postgres";
import { type DatabaseSession, type Driver, queriesOf, type Statements } from "./driver.ts";

export interface Transaction extends Statements {
  readonly isTransaction: true;
}

/** SQLSTATE: an earlier statement of the transaction has failed. */
const IN_FAILED_TRANSACTION = "25P02";

/** Such a first statement does not wait for the answer to "begin": if that failed, it would have no effect that lasts. */
const READS = /^\s*select\b/i;

/** A failed statement fails the transaction, even if the work catches its error. */
export async function transact<T>(
  driver: Driver,
  session: DatabaseSession,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const own = transactionOf(queriesOf(driver, (statement) => session.run(statement)));
  let failure: unknown;
  let isOver = false;
  const note = (error: unknown) => {
    failure ??= error;
  };
  let hasBegun = false;
  let isHeld = false;
  const statements = queriesOf(driver, (statement) => {
    if (isOver) return statement.reject(failure ?? new Error("The transaction of this statement has ended."));
    statement.catch(note);
    const follows = !hasBegun && READS.test(statement.strings[0] ?? "");
    if (hasBegun || (follows && !isHeld)) return session.run(statement, { follows });
    isHeld = true;
    begun.then(() => session.run(statement), statement.reject);
  });
  const tx = transactionOf(statements);
  const begun = own.unsafe("begin").then(
    () => {
      hasBegun = true;
    },
    (error) => {
      note(error);
      isOver = true;
      throw error;
    },
  );
  begun.catch(note);
  let result: T;
  try {
    result = await work(tx).finally(() => {
      isOver = true;
    });
    if (failure) throw failure;
  } catch (error) {
    await own.unsafe("rollback");
    throw (error as { code?: string }).code === IN_FAILED_TRANSACTION ? failure : error;
  }
  for (const make of last.get(tx) ?? []) make(own).catch(note);
  const following = queriesOf(driver, (statement) => session.run(statement, { follows: true }));
  // Called now, so that it is sent after these. Behind a statement that fails, it rolls back.
  await following.unsafe("commit").then(() => {
    if (failure) throw failure;
  });
  return result;
}

const transactionOf = (statements: Statements): Transaction =>
  Object.assign(statements, { isTransaction: true } as const);

/** The last statements of running transactions. */
const last = new WeakMap<Transaction, ((tx: Transaction) => PendingQuery<Row[]>)[]>();

/** Sends a statement with the commit, to save a round trip. If it fails, so does the transaction. */
export function atCommit(tx: Transaction, make: (tx: Transaction) => PendingQuery<Row[]>): void {
  last.set(tx, [...(last.get(tx) ?? []), make]);
}
