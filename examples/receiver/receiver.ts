// Answers webhooks as its options say and gives a readable account of each.

import type { Options } from "./options.ts";
import { isSignedWith } from "./verify.ts";

/** More than a payload ever needs; enough to keep a mistaken upload from filling memory. */
export const MOST_BODY_BYTES = 16 * 1024 * 1024;

type Behaviour = Pick<Options, "secrets" | "fail" | "status" | "hangSeconds">;

/** @param print gets one text for each call, right before its answer leaves. */
export function createReceiver(options: Behaviour, print: (text: string) => void) {
  const attempts = new Map<string, number>();

  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response("This receiver takes POST.\n", { status: 405 });
    const time = new Date().toISOString();
    const body = new Uint8Array(await request.arrayBuffer());
    const event = readEvent(body);
    const attempt = (attempts.get(event.id) ?? 0) + 1;
    attempts.set(event.id, attempt);
    const status = options.status ?? (attempt <= options.fail ? 500 : 200);
    if (options.hangSeconds > 0) await Bun.sleep(options.hangSeconds * 1000);
    const verdict = verify(options.secrets, body, request.headers.get("X-Signature"));
    print(
      `${time}  ${event.title}  event ${event.id}  attempt ${attempt}  answered ${status}  ${verdict}\n  ${event.payload}`,
    );
    return new Response(null, { status });
  };
}

function verify(secrets: string[], body: Uint8Array, signature: string | null): string {
  if (signature === null) return "not signed";
  if (secrets.length === 0) return "no --secret given, not verified";
  return secrets.some((secret) => isSignedWith(secret, body, signature)) ? "signature valid" : "signature WRONG";
}

interface ReadableEvent {
  id: string;
  /** Such as `Updated Application 4711`. */
  title: string;
  payload: string;
}

function readEvent(body: Uint8Array): ReadableEvent {
  const text = new TextDecoder().decode(body);
  try {
    const { EventId, EventType, EventRecord, Data } = JSON.parse(text);
    const records = Array.isArray(Data) ? `${Data.length} records` : String(Data?.Id ?? "");
    const title = [EventType ?? "no EventType", EventRecord ?? "no EventRecord", records].filter(Boolean).join(" ");
    return { id: oneLine(String(EventId ?? "-")), title: oneLine(title), payload: oneLine(text) };
  } catch {
    return { id: "-", title: "not JSON", payload: oneLine(text.slice(0, 500)) };
  }
}

/** Anybody on this machine may post here: what they send must not draw on the terminal. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\p{C}/gu, "").trim();
}
