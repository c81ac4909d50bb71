// Records for /readyz why workflows cannot be started, or deliveries cannot be written.

import type { WorkflowClientInterceptor } from "@temporalio/client";
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import type { Logger } from "pino";
import { clearTrouble, noteTrouble } from "../../platform/db/installation-parts.ts";
import type { Sql } from "../../platform/db/sql.ts";

/** A continuing problem is reported again after this time. */
const AGAIN_MS = 10_000;
const MAX_DETAIL_LENGTH = 200;

/** gRPC status codes. */
const CODES = { INVALID_ARGUMENT: 3, DEADLINE_EXCEEDED: 4, NOT_FOUND: 5, RESOURCE_EXHAUSTED: 8, UNAVAILABLE: 14 };

export interface StartTroubles {
  /** For the client of all starts. */
  interceptor: WorkflowClientInterceptor;
  /** PostgreSQL has rejected a statement; the reason is dropped after a minute without the next one. */
  rejected(message: string): void;
  stop(): Promise<void>;
}

export function createStartTroubles(sql: Sql, log: Logger): StartTroubles {
  const [workerId, writesId] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  let logged: { reason: string; at: number } | undefined;
  let rejectedAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<unknown> = Promise.resolve();

  function write(statement: () => Promise<void>): void {
    // /readyz reports a missing PostgreSQL anyway.
    writing = writing.then(statement).catch((err) => log.debug({ err }, "a start problem could not be stored"));
  }

  function failed(error: unknown): void {
    const reason = reasonOf(error);
    if (logged?.reason === reason && performance.now() - logged.at < AGAIN_MS) return;
    logged = { reason, at: performance.now() };
    write(() => noteTrouble(sql, workerId, reason));
  }

  function succeeded(): void {
    if (!logged) return;
    logged = undefined;
    write(() => clearTrouble(sql, workerId));
  }

  return {
    rejected(message) {
      if (performance.now() - rejectedAt < AGAIN_MS) return;
      rejectedAt = performance.now();
      const reason = `Deliveries wait: PostgreSQL rejects statements (${message.slice(0, MAX_DETAIL_LENGTH)}).`;
      write(() => noteTrouble(sql, writesId, reason));
    },
    interceptor: {
      async startWithDetails(input, next) {
        try {
          const started = await next(input);
          succeeded();
          return started;
        } catch (error) {
          if (error instanceof WorkflowExecutionAlreadyStartedError) succeeded();
          else failed(error);
          throw error;
        }
      },
    },
    async stop() {
      succeeded();
      await writing;
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, details } = grpcFailure(error);
  const shortened = details.slice(0, MAX_DETAIL_LENGTH);
  // Temporal uses this code both for a full disk and for an unavailable database.
  if (code === CODES.UNAVAILABLE && shortened.includes("shard status unknown")) {
    return `Deliveries cannot start: Temporal cannot write to its store, which is full or unavailable (${shortened}).`;
  }
  if (code === CODES.RESOURCE_EXHAUSTED) return `Deliveries cannot start: Temporal is at its limits (${shortened}).`;
  const [, wrongType] = /search attribute (\w+ of type \w+)/.exec(shortened) ?? [];
  if (wrongType) {
    return `Deliveries cannot start: Temporal's namespace has the search attribute ${wrongType}, which Gatehouse needs with another type.`;
  }
  if (code === CODES.INVALID_ARGUMENT && /search attribute/i.test(shortened)) {
    return `Deliveries cannot start: Temporal's namespace lacks a search attribute (${shortened}).`;
  }
  if (code === CODES.NOT_FOUND) return `Deliveries cannot start: Temporal's namespace does not exist (${shortened}).`;
  if (code === CODES.UNAVAILABLE || code === CODES.DEADLINE_EXCEEDED) {
    return "Deliveries cannot start: Temporal does not answer.";
  }
  return `Deliveries cannot start: Temporal rejects them (${shortened}).`;
}

/** The SDK wraps gRPC errors. */
function grpcFailure(error: unknown): { code: number | undefined; details: string } {
  const { code, details, message, cause } = error as {
    code?: number;
    details?: string;
    message?: string;
    cause?: unknown;
  };
  if (typeof code === "number") return { code, details: details || message || "" };
  return cause instanceof Error ? grpcFailure(cause) : { code: undefined, details: message ?? "" };
}
