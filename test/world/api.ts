// Gatehouse's API, called by a client of one tenant. test/world has what tests of several folders use: tenants, clients,
// visitors, persons, receivers, providers. test/support has the processes, browsers and files below it.

import { expect } from "bun:test";
import type { NewTenant } from "../../server/identity/tenants/index.ts";
import type { ConnectionId, DeliveryId, EventId, LogoutId, TenantId } from "../../server/platform/ids.ts";
import type { DeliveryState } from "../../workflows/contract.ts";
import { tellFault } from "../support/faults.ts";
import { saw, until } from "../support/until.ts";

export { until };

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
type Any = any;

export interface Answer<Body = Any> {
  /** The path of its request, without the query. */
  path: string;
  status: number;
  headers: Headers;
  body: Body;
}

export interface SendOptions {
  headers?: Record<string, string>;
  body?: BodyInit;
}

export interface Attempt {
  Number: number;
  Run: number;
  StartedOn: string;
  DurationMs: number;
  StatusCode: number | null;
  Failure: string | null;
  Response: { Headers: string; Body: string };
}

export interface Delivery {
  Id: DeliveryId;
  ConnectionId: ConnectionId;
  State: DeliveryState;
  AttemptCount: number;
  Run: number;
  WorkflowId: string;
  WorkflowUrl: string;
  Attempts: Attempt[];
}

/** An event of the activity log; lists omit the payload and the attempts. */
export interface LoggedEvent {
  EventId: EventId;
  EventType: string;
  EventRecord: string;
  RecordId: string | null;
  RecordCount: number;
  Timestamp: string;
  State: DeliveryState | null;
  Reason: string | null;
  WorkflowId: string;
  WorkflowUrl: string;
  /** As in webhook-sequence. */
  Sequence: string | null;
  /** The event of the previous change. */
  BeforeEventId: EventId | null;
  Payload: Record<string, unknown>;
  Deliveries: Delivery[];
}

/** Deliveries that a connection did not get. */
export interface DeadLetters {
  ConnectionId: ConnectionId;
  ConnectionName: string;
  Count: number;
  Receiver: number;
  Configuration: number;
  Ours: number;
  Reasons: { Blame: string; Reason: string; State: string; Count: number; Oldest: string; Newest: string }[];
}

/** Why a connection did or did not get an event. */
export interface Why {
  ConnectionId: ConnectionId;
  ConnectionName: string;
  Outcome: string;
  Reason: string;
  DeliveryId: DeliveryId | null;
}

export interface ConnectionFields {
  Id: ConnectionId;
  Name: string;
  URL: string;
  Entities: string[];
  Events: string[];
  Filter: string | null;
  Fields: string[] | null;
  ChangedFields: boolean;
  Previous: boolean;
  SignByKey: boolean;
  Kind: "Push" | "Pull";
  Compression: "None" | "Gzip";
  Secret: string | null;
  ApiKey: string;
  Headers: Record<string, string | null>;
  TimeoutMs: number | null;
  Order: "None" | "Record";
  RatePerSecond: number | null;
  MaxInFlight: number | null;
  HoldAfter: number | null;
  State: "Active" | "Held" | "Paused";
  HeldOn: string | null;
  HeldReason: string | null;
}

export interface RedeliveryRecord {
  Id: string;
  ConnectionId: ConnectionId;
  Kind: "Replay" | "Drain";
  From: string | null;
  To: string | null;
  States: string[];
  Rate: number;
  State: "Running" | "Paused" | "Completed" | "Cancelled";
  Reason: string | null;
  Total: number;
  Skipped: number;
  Done: number;
  Delivered: number;
  Exhausted: number;
  EndedOn: string | null;
  WorkflowId: string;
  WorkflowUrl: string;
}

export const API = "/Endpoint/rest/api/v1";
export const TOKEN_PATH = "/oAuth/rest/v2/Token";
const FINAL: (DeliveryState | null)[] = ["Delivered", "Exhausted", "Held", "Cancelled"];
const JSON_TYPE = { "content-type": "application/json" };

/** A client of a tenant. */
export class Api {
  constructor(
    readonly url: string,
    readonly tenant: NewTenant,
    readonly token: string,
  ) {}

  get tenantId(): string {
    return this.tenant.tenantId;
  }

  get clientId(): string {
    return this.tenant.client.clientId;
  }

  get clientSecret(): string {
    return this.tenant.client.clientSecret;
  }

  /** The Authorization header of its calls. */
  get authorization(): string {
    return `Bearer ${this.token}`;
  }

  /** The same client with a token for other scopes. */
  withScope(scope: string): Promise<Api> {
    return signIn(this.url, this.tenant, scope);
  }

  /** The test sets every header and byte. */
  send(method: string, path: string, { headers, ...options }: SendOptions = {}): Promise<Answer> {
    const all = { authorization: this.authorization, ...headers };
    return requestAt(this.url, method, API + path, { ...options, headers: all });
  }

  async call<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    return this.send(method, path, { headers: JSON_TYPE, body: body === undefined ? undefined : JSON.stringify(body) });
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send("GET", path, { headers });
  }

  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send("PATCH", path, { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
  }

  remove(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send("DELETE", path, { headers });
  }

  /** Upserts a record. */
  async made(entity: string, fields: Record<string, unknown>): Promise<Any> {
    return this.ok("PATCH", `/${entity}`, fields);
  }

  /** Upserts an Application. */
  async change(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.made("Application", fields);
  }

  /** Makes a webhook connection for every change of an Application by default. */
  async connect(url: string, fields: Partial<ConnectionFields> = {}): Promise<ConnectionFields> {
    const events = ["Created", "Updated", "Deleted"];
    return this.ok("POST", "/WebhookConnection", { URL: url, Entities: ["Application"], Events: events, ...fields });
  }

  async connection(id: string): Promise<ConnectionFields> {
    return this.ok("GET", `/WebhookConnection/${id}`);
  }

  /** Pauses a connection, or sets it Active again. */
  async setState(id: string, state: "Active" | "Paused"): Promise<ConnectionFields> {
    return this.ok("PATCH", "/WebhookConnection", { Id: id, State: state });
  }

  /** @returns the EventId */
  async ping(id: string): Promise<EventId> {
    return (await this.ok<{ EventId: EventId }>("POST", `/WebhookConnection/${id}/Ping`)).EventId;
  }

  async disconnect(id: string): Promise<void> {
    await this.ok("DELETE", `/WebhookConnection/${id}`);
  }

  /** @param filter such as `State=Exhausted&Limit=2` */
  async events(filter = ""): Promise<{ Items: LoggedEvent[]; Next: string | null }> {
    return this.ok("GET", `/WebhookEvent?${filter}`);
  }

  async event(id: string): Promise<LoggedEvent> {
    return this.ok("GET", `/WebhookEvent/${id}`);
  }

  /** Sends an event again, to one connection or to all. */
  async redeliver(eventId: string, connectionId?: string): Promise<Answer<LoggedEvent>> {
    return this.call("POST", `/WebhookEvent/${eventId}/Redeliver`, { ConnectionId: connectionId });
  }

  /** @param filter such as `Limit=2` */
  async why(eventId: string, filter = ""): Promise<{ Items: Why[]; Next: string | null }> {
    return this.ok("GET", `/WebhookEvent/${eventId}/Why?${filter}`);
  }

  /** Sends a connection's deliveries again; the default of From is long ago. */
  async replay(fields: { ConnectionId: string; [name: string]: unknown }): Promise<RedeliveryRecord> {
    return this.ok("POST", "/Redelivery", { From: "2020-01-01", ...fields });
  }

  async redelivery(id: string): Promise<RedeliveryRecord> {
    return this.ok("GET", `/Redelivery/${id}`);
  }

  async changeRedelivery(id: string, change: { State?: string; Rate?: number }): Promise<RedeliveryRecord> {
    return this.ok("PATCH", `/Redelivery/${id}`, change);
  }

  /** Waits for the redelivery's end. */
  async endedRedelivery(id: string): Promise<RedeliveryRecord> {
    return until(`redelivery ${id} to end`, async () => {
      const redelivery = await this.redelivery(id);
      return redelivery.EndedOn !== null && redelivery;
    });
  }

  /** @param filter such as `State=Held` */
  async deadLetters(filter = ""): Promise<{ Items: DeadLetters[]; Next: string | null }> {
    return this.ok("GET", `/WebhookEvent/DeadLetters?${filter}`);
  }

  async newestEvent(): Promise<LoggedEvent> {
    const { Items } = await this.events("Limit=1");
    return this.event(Items[0]!.EventId);
  }

  /** The newest event, after all its deliveries have ended. */
  async settledEvent(): Promise<LoggedEvent> {
    return this.settled((await this.newestEvent()).EventId);
  }

  /** Upserts an Application. @returns its event, after all its deliveries have ended */
  async settledChange(fields: Record<string, unknown>): Promise<LoggedEvent> {
    await this.change(fields);
    return this.settledEvent();
  }

  /** The event, after all its deliveries have ended. */
  async settled(eventId: string): Promise<LoggedEvent> {
    return until(`event ${eventId} to settle`, async () => {
      const event = await this.event(eventId);
      return event.Deliveries.every((delivery) => FINAL.includes(delivery.State)) && event;
    });
  }

  private async ok<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.call<Body>(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** A client with a token, by default for all its scopes. */
export async function signIn(url: string, tenant: NewTenant, scope = "*"): Promise<Api> {
  const { clientId, clientSecret } = tenant.client;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope };
  const answer = await requestAt(url, "POST", TOKEN_PATH, { body: new URLSearchParams(form) });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return new Api(url, tenant, answer.body.access_token);
}

/** Any request; an answer without a different content type must be JSON. */
export async function requestAt(url: string, method: string, path: string, options: SendOptions = {}): Promise<Answer> {
  const response = await fetch(url + path, { method, ...options });
  const text = await response.text();
  saw(`answer of ${method} ${path}`, () => `${response.status} ${text}`);
  tellFault(method, response);
  const isOther = /^text\/(csv|event-stream)|^application\/(x-ndjson|zip)/.test(
    response.headers.get("content-type") ?? "",
  );
  const body = isOther ? text : text === "" ? undefined : JSON.parse(text);
  return { path: new URL(url + path).pathname, status: response.status, headers: response.headers, body };
}

/** The body of an answer that must be 200. */
export async function ok(answer: Answer | Promise<Answer>) {
  const { path, status, body } = await answer;
  expect({ path, status, body }).toEqual({ path, status: 200, body });
  return body;
}

/** SPEC.md "Error record (entity API)", complete. */
export function expectError(answer: Answer, status: number, type: string, says?: RegExp): void {
  expect(answer.body).toEqual({
    Errors: expect.any(Array),
    Type: `/Errors/${type}`,
    Title: expect.stringMatching(/./),
    StatusCode: status,
    Instance: answer.path,
    RequestKey: expect.stringMatching(/./),
  });
  expect(answer.status).toBe(status);
  expect(answer.body.Errors.length).toBeGreaterThan(0);
  expect(answer.body.RequestKey).toBe(answer.headers.get("x-request-id"));
  if (says) expect(answer.body.Errors.join("\n")).toMatch(says);
}

/** A word that no other test uses. */
export function unique(word: string): string {
  return `${word}-${Bun.randomUUIDv7().slice(-12)}`;
}

/** Rows for test.each, which would spread a value that is an array. */
export function cases(...values: unknown[]): [unknown][] {
  return values.map((value) => [value]);
}

/** An unused id, or one sent to a receiver. */
export const idOf = <Id extends TenantId | EventId | DeliveryId | ConnectionId | LogoutId>(text: string) => text as Id;
