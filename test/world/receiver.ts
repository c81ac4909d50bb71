// A real HTTPS receiver on loopback that keeps its calls and answers as the test configures.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { saw } from "../support/until.ts";
import type { Api } from "./api.ts";
import { setting } from "./tenant.ts";

export interface Call {
  at: Date;
  method: string;
  url: URL;
  headers: Headers;
  /** The exact bytes. */
  bytes: Buffer;
  /** The parsed body; for a form, its fields. */
  payload: Payload;
  /** The number of this call among the calls of the event, from 1. */
  count: number;
  /** The answer's status; undefined before the answer. */
  status?: number;
}

export interface Payload {
  TenantId: string;
  EventType: string;
  EventId: string;
  EventRecord: string;
  Data: Record<string, unknown>;
}

/** A status, a complete answer, or none: `hang` never answers, `drip` sends its body byte by byte without an end. */
export type Reply = number | Response | "hang" | "drip";

export interface ReceiverOptions {
  /** A certificate other than the one that Gatehouse trusts. */
  tls?: { cert: string; key: string };
  /** The folder of the trusted certificate; default: that of the shared Gatehouse. */
  dataDir?: string;
}

const DRIP_MS = 50;
/** Calls in the message of a wait in vain. */
const SHOWN = 5;

export class Receiver {
  private readonly received: Call[] = [];
  private readonly counts = new Map<string, number>();
  private readonly server: Bun.Server<undefined>;

  constructor(
    private readonly reply: (call: Call) => Reply | Promise<Reply>,
    options: ReceiverOptions,
  ) {
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      tls: options.tls ?? trustedCertificate(options.dataDir ?? setting("GATEHOUSE_TEST_DATA_DIR")),
      fetch: (request) => this.receive(request),
    });
  }

  get url(): string {
    return `https://localhost:${this.server.port}/hook`;
  }

  get calls(): Call[] {
    saw(`calls of ${this.url}`, () => summaryOf(this.received));
    return this.received;
  }

  /** The calls of one event, in order. */
  callsFor(eventId: string): Call[] {
    return this.calls.filter((call) => call.payload.EventId === eventId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }

  private async receive(request: Request): Promise<Response> {
    const at = new Date();
    const bytes = Buffer.from(await request.arrayBuffer());
    const { method, headers } = request;
    const isForm = headers.get("content-type") === "application/x-www-form-urlencoded";
    const isCompressed = headers.get("content-encoding") === "gzip";
    const text = (isCompressed ? gunzipSync(bytes) : bytes).toString("utf8");
    const payload = (isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)) as Payload;
    const count = (this.counts.get(payload.EventId) ?? 0) + 1;
    this.counts.set(payload.EventId, count);
    const call: Call = { at, method, url: new URL(request.url), headers, bytes, payload, count };
    this.received.push(call);
    const response = await toResponse(await this.reply(call));
    call.status = response.status;
    return response;
  }
}

/**
 * @param reply for every call; a list for the calls of each event, whose last entry repeats; or a function
 * @example await using receiver = startReceiver([500, 500, 200]);
 */
export function startReceiver(
  reply: Reply | Reply[] | ((call: Call) => Reply | Promise<Reply>) = 200,
  options: ReceiverOptions = {},
): Receiver {
  if (typeof reply === "function") return new Receiver(reply, options);
  const replies = Array.isArray(reply) ? reply : [reply];
  return new Receiver(({ count }) => replies[Math.min(count, replies.length) - 1]!, options);
}

/** A receiver of every change of an Application of this tenant. */
export async function connected(api: Api, ...answers: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = startReceiver(...answers);
  await api.connect(receiver.url);
  return receiver;
}

function summaryOf(calls: Call[]): string {
  const last = calls.slice(-SHOWN).map(({ method, payload, count, status }) => {
    return `${payload.EventType ?? method} ${payload.EventRecord ?? ""} (call ${count}: ${status ?? "no answer yet"})`;
  });
  return `${calls.length}${last.length > 0 ? `, the last: ${last.join(", ")}` : ""}`;
}

function toResponse(reply: Reply): Response | Promise<Response> {
  if (reply === "hang") return new Promise(() => {});
  if (reply === "drip") return new Response(endlessBody());
  // Bun removes the headers of a Response that it has sent.
  return typeof reply === "number" ? new Response(null, { status: reply }) : reply.clone();
}

function endlessBody(): ReadableStream {
  let timer: Timer;
  return new ReadableStream({
    start: (controller) => {
      timer = setInterval(() => controller.enqueue("."), DRIP_MS);
    },
    cancel: () => clearInterval(timer),
  });
}

function trustedCertificate(dataDir: string): { cert: string; key: string } {
  const read = (name: string) => readFileSync(join(dataDir, "receiver", name), "utf8");
  return { cert: read("cert.pem"), key: read("key.pem") };
}
