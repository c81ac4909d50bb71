// One answer, after one time, for all accounts and for none.

import type { Sql } from "../../../platform/db/sql.ts";
import { isPlaceholderTenant } from "../../../platform/ids.ts";
import { admit, countFailure, type SignInTry } from "../throttle.ts";

/** Milliseconds until every answer, so the time does not tell whether there is an account. */
const ANSWER_MS = 400;

type Asked = Pick<SignInTry, "tenantId" | "account" | "factor" | "address" | "isNamed">;

/**
 * @param find is not awaited, because a busy database would delay the answer of known accounts more. It runs only for a
 * tenant that exists. @returns seconds to wait, after too many requests
 */
export async function answerAlike(
  sql: Sql,
  asked: Asked,
  find: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<number | undefined> {
  const attempt: SignInTry = { ...asked, knownDevice: undefined, knownAddress: false };
  const retryAfter = await admit(sql, attempt);
  if (retryAfter !== undefined) return retryAfter;
  await countFailure(sql, attempt);
  const answer = Bun.sleep(ANSWER_MS);
  if (!isPlaceholderTenant(asked.tenantId)) find().catch(onFailure);
  await answer;
  return undefined;
}
