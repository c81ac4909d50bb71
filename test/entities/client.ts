// Raw HTTP as one tenant's client: every header and byte is the test's own.

import { expect } from "bun:test";
import type { NewTenant } from "../../server/tenants/index.ts";
import { db, newTenant, shared } from "../support/tenant.ts";

export { db };

export const API = "/Endpoint/rest/api/v1";
export const TOKEN_PATH = "/oAuth/rest/v2/Token";

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what it must be.
  body: any;
}

export interface Caller {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  token: string;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** PATCH with a JSON body. */
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  remove(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** PATCH that must succeed: the record. */
  made(entity: string, fields: Record<string, unknown>): Promise<Answer["body"]>;
  /** The same client with a token for other scopes. */
  withScope(scope: string): Promise<Caller>;
}

export interface SendOptions {
  headers?: Record<string, string>;
  body?: BodyInit;
}

const JSON_TYPE = { "content-type": "application/json" };
/** A client of a tenant, by default a new one, its token good for everything. */
export async function newCaller(tenant?: NewTenant): Promise<Caller> {
  const { tenantId, client } = tenant ?? (await newTenant()).tenant;
  return callerOf(tenantId, client, "*");
}

async function callerOf(
  tenantId: string,
  client: { clientId: string; clientSecret: string },
  scope: string,
): Promise<Caller> {
  const form = { grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret };
  const answer = await request("POST", TOKEN_PATH, { body: new URLSearchParams({ ...form, scope }) });
  expect(answer.status).toBe(200);
  const token = answer.body.access_token as string;
  const send: Caller["send"] = (method, path, options = {}) =>
    request(method, API + path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } });
  const patch: Caller["patch"] = (path, body, headers) =>
    send("PATCH", path, { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
  return {
    tenantId,
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    token,
    send,
    get: (path, headers) => send("GET", path, { headers }),
    patch,
    remove: (path, headers) => send("DELETE", path, { headers }),
    made: async (entity, fields) => {
      const { status, body } = await patch(`/${entity}`, fields);
      expect({ status, errors: body.Errors }).toEqual({ status: 200, errors: undefined });
      return body;
    },
    withScope: (other) => callerOf(tenantId, client, other),
  };
}

/** Any request; an answer that does not say it is another thing must be JSON. */
export async function request(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
  const response = await fetch(shared().url + path, { method, ...options });
  const text = await response.text();
  const isOther = /^(text\/csv|application\/x-ndjson)/.test(response.headers.get("content-type") ?? "");
  const body = isOther ? text : text === "" ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** SPEC.md "Error record (entity API)", whole. */
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

/** The tenant's events, oldest first, as the outbox holds them. */
export async function eventsOf(tenantId: string): Promise<LoggedChange[]> {
  return (await payloadsOf(tenantId)).map(({ recordId, sequences, payload }) => ({
    type: payload.EventType as string,
    recordId,
    sequences,
    data: payload.Data,
  }));
}

/** The same events' whole payloads. */
export async function payloadsOf(tenantId: string) {
  const rows = await db()<{ recordId: string; sequences: number[]; payload: string }[]>`
    select record_id as "recordId", sequences, payload from events where tenant_id = ${tenantId} order by id`;
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as Record<string, unknown> }));
}

/** A word no other test has. */
export function unique(word: string): string {
  return `${word}-${Bun.randomUUIDv7().slice(-12)}`;
}

/** Rows for test.each, which would spread a value that is an array. */
export function cases(...values: unknown[]): [unknown][] {
  return values.map((value) => [value]);
}
