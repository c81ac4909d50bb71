// Examines policies beside the server's one thread, for a limited time each.

import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { createBudget } from "../../../platform/budget.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { PolicyProblem } from "./cedar.ts";
import type { ExaminedFilter } from "./examine.ts";
import type { ExaminerReply, Task } from "./examiner-thread.ts";
import type { ResourceType } from "./resource-type.ts";

/** The timeout of an examination; typical policies take a hundredth of it on an idle machine. */
const EXAMINATION_MS = 10_000;
/** An idle worker is ended after this time, because it uses about 60 MiB. */
const IDLE_MS = 60_000;
/** Other tenants' policies go through one worker while a costly one occupies the other. */
const BUDGET = { name: "policy checks", perTenant: 1, total: 2, waiting: 50 };

/** Digests of valid texts are cached, because a text is usually tried repeatedly before it is saved. */
const KNOWN_GOOD = 1_000;

class ExaminedTooLong extends Error {}

export interface Examiner {
  /** Why a text is not a valid policy; empty if it is. @throws TenantBusy */
  check(tenantId: TenantId, text: string): Promise<PolicyProblem[]>;
  /** Why valid policies cannot be one tenant's; undefined if they can. @throws TenantBusy */
  weigh(tenantId: TenantId, texts: string[]): Promise<string | undefined>;
  /** @param entities the kinds of records that the filter judges @throws TenantBusy */
  checkFilter(tenantId: TenantId, expression: string, entities: readonly string[]): Promise<ExaminedFilter>;
}

export function createExaminer(types: readonly ResourceType[], limitMs = EXAMINATION_MS): Examiner {
  const budget = createBudget(BUDGET);
  const idle: Thread[] = [];
  const good = new LRUCache<string, true>({ max: KNOWN_GOOD });

  async function examine(tenantId: TenantId, task: Task): Promise<unknown> {
    const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(task)).digest("base64");
    if (good.get(digest)) return "check" in task ? [] : undefined;
    const found = await examineAnew(tenantId, task);
    if (Array.isArray(found) ? found.length === 0 : found === undefined) good.set(digest, true);
    return found;
  }

  function examineAnew(tenantId: TenantId, task: Task): Promise<unknown> {
    return budget.run(tenantId, async () => {
      const thread = idle.pop() ?? startThread(types);
      clearTimeout(thread.ending);
      const done = await thread.do(task, limitMs).catch((error) => {
        thread.end();
        throw error;
      });
      idle.push(thread);
      thread.ending = setTimeout(() => {
        idle.splice(idle.indexOf(thread), 1);
        thread.end();
      }, IDLE_MS).unref();
      return done;
    });
  }

  return {
    async check(tenantId, text) {
      const problem =
        tooComplex(text) ??
        (isEmpty(text) ? "The policy has no statement; start it with permit or forbid." : undefined);
      if (problem) return [{ message: problem }];
      return (await examine(tenantId, { check: text }).catch(
        inWords("It", limitMs, (message) => [{ message }]),
      )) as PolicyProblem[];
    },
    async weigh(tenantId, texts) {
      const weighed = examine(tenantId, { weigh: texts });
      return (await weighed.catch(inWords("All policies, with this one,", limitMs, String))) as string | undefined;
    },
    async checkFilter(tenantId, expression, entities) {
      const wrong = (message: string) => ({ problems: [{ message }], reads: {} });
      const problem = tooComplex(expression);
      if (problem) return wrong(problem);
      const examined = examineAnew(tenantId, { filter: expression, of: entities });
      return (await examined.catch(inWords("It", limitMs, wrong))) as ExaminedFilter;
    },
  };
}

const isEmpty = (text: string) => text.replace(/\/\/.*$/gm, "").trim() === "";

/** @returns converts a timeout to a result; other errors are rethrown */
function inWords<Failure>(
  what: string,
  limitMs: number,
  tell: (message: string) => Failure,
): (error: unknown) => Failure {
  return (error) => {
    if (!(error instanceof ExaminedTooLong)) throw error;
    return tell(`${what} took more than ${limitMs} ms to check. Simplify it, or try again if the server is busy.`);
  };
}

interface Thread {
  ending?: Timer;
  do(task: Task, limitMs: number): Promise<unknown>;
  end(): void;
}

function startThread(types: readonly ResourceType[]): Thread {
  const worker = new Worker(new URL("./examiner-thread.ts", import.meta.url));
  worker.unref();
  let settle: PromiseWithResolvers<unknown> = Promise.withResolvers();
  worker.on("message", (outcome: ExaminerReply) =>
    "done" in outcome ? settle.resolve(outcome.done) : settle.reject(new Error(`Cedar failed: ${outcome.failed}`)),
  );
  worker.on("error", (error) => settle.reject(error));
  worker.postMessage({ types });
  // Its time begins when the worker is ready.
  const ready = settle.promise;
  ready.catch(() => {});
  return {
    async do(task, limitMs) {
      await ready;
      settle = Promise.withResolvers();
      worker.postMessage(task);
      const limit = setTimeout(() => settle.reject(new ExaminedTooLong()), limitMs);
      return settle.promise.finally(() => clearTimeout(limit));
    },
    end: () => void worker.terminate(),
  };
}

// Cedar works on a statement recursively, on a stack of 1 MiB that ends the WebAssembly instance when it runs out.
// Measured with cedar-wasm 4.13.0: it runs out at 115 to 145 nested brackets, or at 300 to 400 operators in a row.

const STATEMENT_LIMIT = 5;
const NESTING_LIMIT = 30;
const OPERATOR_LIMIT = 100;

const TOKENS =
  /"(?<text>(?:\\.|[^"\\])*)"?|(?<comment>\/\/[^\n]*)|(?<open>[([{])|(?<close>[)\]}])|(?<end>;)|(?<operator>&&|\|\||[=!<>]=|[.+\-*!<>]|\b(?:if|in|has|is|like|when|unless)\b)/gs;

function tooComplex(text: string): string | undefined {
  let statements = 0;
  let nesting = 0;
  let operators = 0;
  for (const { groups } of text.matchAll(TOKENS)) {
    if (groups?.open) nesting++;
    if (groups?.close) nesting--;
    if (groups?.operator) operators++;
    if (groups?.end) {
      statements++;
      nesting = 0;
      operators = 0;
    }
    if (nesting > NESTING_LIMIT) return `A statement can nest brackets at most ${NESTING_LIMIT} deep.`;
    if (operators > OPERATOR_LIMIT) {
      return `A statement can have at most ${OPERATOR_LIMIT} operators. Write several statements instead.`;
    }
  }
  if (statements > STATEMENT_LIMIT) {
    return `A policy can have at most ${STATEMENT_LIMIT} statements. Write several policies instead.`;
  }
  return undefined;
}
