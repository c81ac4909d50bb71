// Raw HTTP to the shared Gatehouse, and the answers and stored data of its entity API.

import { expect } from "bun:test";
import { type Answer as AnswerOf, requestAt, type SendOptions } from "../support/api.ts";
import { db, shared } from "../support/tenant.ts";

export { API, type SendOptions, TOKEN_PATH } from "../support/api.ts";
export { db };

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
export type Answer = AnswerOf<any>;

/** An anonymous request. */
export function request(method: string, path: string, options?: SendOptions): Promise<Answer> {
  return requestAt(shared().url, method, path, options);
}

/** SPEC.md "Error record (entity API)", complete. */
export function expectError(answer: Answer, status: number, type: string, instance: string, says?: RegExp): void {
  expect(answer.body).toEqual({
    Errors: expect.any(Array),
    Type: `/Errors/${type}`,
    Title: expect.stringMatching(/./),
    StatusCode: status,
    Instance: instance,
    RequestKey: expect.stringMatching(/./),
  });
  expect(answer.status).toBe(status);
  expect(answer.body.Errors.length).toBeGreaterThan(0);
  expect(answer.body.RequestKey).toBe(answer.headers.get("x-request-id"));
  if (says) expect(answer.body.Errors.join("\n")).toMatch(says);
}

interface LoggedChange {
  type: string;
  recordId: string;
  sequences: number[];
  data: unknown;
}

/** The tenant's events from the outbox, oldest first. */
export async function eventsOf(tenantId: string): Promise<LoggedChange[]> {
  return (await payloadsOf(tenantId)).map(({ recordId, sequences, payload }) => ({
    type: payload.EventType as string,
    recordId,
    sequences,
    data: payload.Data,
  }));
}

/** The complete payloads of the same events. */
export async function payloadsOf(tenantId: string) {
  const rows = await db()<{ recordId: string; sequences: number[]; payload: string }[]>`
    select record_id as "recordId", sequences, payload from events join payloads on event_id = id
    where tenant_id = ${tenantId} order by id`;
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as Record<string, unknown> }));
}

/** A word that no other test uses. */
export function unique(word: string): string {
  return `${word}-${Bun.randomUUIDv7().slice(-12)}`;
}

/** Rows for test.each, which would spread a value that is an array. */
export function cases(...values: unknown[]): [unknown][] {
  return values.map((value) => [value]);
}
