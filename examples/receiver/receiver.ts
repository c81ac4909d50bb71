// Answers webhooks according to its options, and prints a readable summary of each call.

import { once } from "node:events";
import { type Newest, takeNews } from "./newest.ts";
import type { Options } from "./options.ts";
import { isSignedWith } from "./verify.ts";

/** Larger than any payload; protects memory against a mistaken upload. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The maximum number of printed payload lines. */
const MAX_LINES = 60;

type Behaviour = Pick<Options, "secrets" | "fail" | "status" | "delaySeconds" | "hang">;

/** @param print receives one text for each call, right before the response is sent or withheld */
export function createReceiver(options: Behaviour, print: (text: string) => void) {
  const attempts = new Map<string, number>();
  const newest: Newest = new Map();

  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response("This receiver accepts only POST.\n", { status: 405 });
    const time = new Date().toISOString();
    const body = new Uint8Array(await request.arrayBuffer());
    const event = readEvent(body);
    const attempt = (attempts.get(event.id) ?? 0) + 1;
    attempts.set(event.id, attempt);
    const status = options.status ?? (fails(options.fail, attempt) ? 500 : 200);
    if (options.delaySeconds > 0) await Bun.sleep(options.delaySeconds * 1000);
    const verdict = verify(options.secrets, body, request.headers.get("X-Signature"));
    // Rejected calls are retried, and unsigned ones must not count.
    const isTaken = status < 300 && !options.hang && (options.secrets.length === 0 || verdict === VALID);
    const news = isTaken ? tellNews(newest, body, request.headers.get("webhook-sequence")) : "";
    const answer = options.hang ? "not answered" : `answered ${status}`;
    print(
      `${time}  ${event.title}  event ${event.id}  attempt ${attempt}  ${answer}  ${verdict}${news}\n${event.payload}`,
    );
    if (options.hang) await once(request.signal, "abort");
    return new Response(null, { status });
  };
}

function fails(fail: Behaviour["fail"], attempt: number): boolean {
  return "first" in fail ? attempt <= fail.first : Math.random() < fail.share;
}

const VALID = "signature valid";

function verify(secrets: string[], body: Uint8Array, signature: string | null): string {
  if (signature === null) return "not signed";
  if (secrets.length === 0) return "no --secret given, not verified";
  return secrets.some((secret) => isSignedWith(secret, body, signature)) ? VALID : "signature WRONG";
}

/** Lists the records that are newer than those received before. */
function tellNews(newest: Newest, body: Uint8Array, sequence: string | null): string {
  if (sequence === null) return "";
  try {
    const event = JSON.parse(new TextDecoder().decode(body));
    const records = [event.Data].flat().length;
    const kept = takeNews(newest, event, sequence).length;
    const dropped = records === 1 ? "dropped: not newer than an earlier one" : `${kept} of ${records} kept`;
    return `  sequence ${oneLine(sequence)}, ${kept === records ? "kept" : dropped}`;
  } catch {
    return "";
  }
}

interface ReadableEvent {
  id: string;
  /** A title such as `Updated Application 4711`. */
  title: string;
  payload: string;
}

function readEvent(body: Uint8Array): ReadableEvent {
  const text = new TextDecoder().decode(body);
  try {
    const event = JSON.parse(text);
    const { EventId, EventType, EventRecord, Data } = event;
    const records = Array.isArray(Data) ? `${Data.length} records` : String(Data?.Id ?? "");
    const title = [EventType ?? "no EventType", EventRecord ?? "no EventRecord", records].filter(Boolean).join(" ");
    return { id: oneLine(String(EventId ?? "-")), title: oneLine(title), payload: indented(event) };
  } catch {
    return { id: "-", title: "not JSON", payload: `  ${oneLine(text.slice(0, 500))}` };
  }
}

function indented(event: unknown): string {
  const lines = JSON.stringify(event, null, 2).split("\n");
  const more = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} lines more`] : [];
  return [...lines.slice(0, MAX_LINES), ...more].map((line) => `  ${line.replace(/\p{C}/gu, "")}`).join("\n");
}

/** Every local program can post here, so control characters are removed before printing. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\p{C}/gu, "").trim();
}
