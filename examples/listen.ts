// `bun run listen`: forwards a tenant's changes to a local server, signed like webhooks. For development: it needs no
// public address and no connection. Failed calls are not retried.

import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HELP = `Forwards changes to your local server, signed like webhooks.

  bun run listen --to http://localhost:4000/hook [flags]

  --to URL         where to post each change
  --secret SECRET  sign with this secret (default: generated and shown)
  --entity NAME    only changes of this entity, such as Application
  --event KIND     only Created, Updated or Deleted
  --help           show this

It connects to the demo tenant of DATA_DIR (.gatehouse), or to GATEHOUSE_URL with GATEHOUSE_CLIENT_ID and
GATEHOUSE_CLIENT_SECRET if set. The client needs the scope Webhooks:Read, and gets the changes that its policies permit.`;

const AGAIN_MS = 1_000;
/** A reconnection may repeat a change. */
const MAX_REMEMBERED = 10_000;

interface Change {
  Sequence: string | null;
  Payload: { EventId: string; EventType: string; EventRecord: string; Data: unknown };
}

interface Options {
  to: URL;
  secret: string;
  filter: URLSearchParams;
}

interface Api {
  url: string;
  clientId: string;
  clientSecret: string;
}

const options = readOptions();
const api = await readApi();
console.log(`Changes of ${api.url} go to ${options.to}, signed with ${options.secret}\nStop: Ctrl-C\n`);
const known = new Set<string>();
let lastId = "";
for (;;) {
  await listen().catch(({ message }: Error) => console.error(`${message}; retrying`));
  await Bun.sleep(AGAIN_MS);
}

function readOptions(): Options {
  try {
    const text = { type: "string" } as const;
    const { values } = parseArgs({
      options: { to: text, secret: text, entity: text, event: text, help: { type: "boolean", short: "h" } },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    if (!values.to || !/^https?:$/.test(URL.parse(values.to)?.protocol ?? "")) {
      throw new Error("--to must be an http or https address, such as http://localhost:4000/hook");
    }
    if (values.secret === "") throw new Error("--secret must not be empty");
    const filter = new URLSearchParams({
      ...(values.entity && { EventRecord: values.entity }),
      ...(values.event && { EventType: values.event }),
    });
    return { to: new URL(values.to), secret: values.secret ?? `whsec_${randomBytes(32).toString("base64")}`, filter };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

async function readApi(): Promise<Api> {
  const { GATEHOUSE_URL: url, GATEHOUSE_CLIENT_ID: clientId, GATEHOUSE_CLIENT_SECRET: clientSecret } = process.env;
  if (url && clientId && clientSecret) return { url: safe(url), clientId, clientSecret };
  const file = join(process.env.DATA_DIR || ".gatehouse", "demo.json");
  try {
    const { publicUrl, client } = await Bun.file(file).json();
    return { url: publicUrl, ...client };
  } catch {
    console.error(
      `${file} cannot be read: run \`bun run start\` first, or set GATEHOUSE_URL and the client's id and secret.`,
    );
    process.exit(1);
  }
}

function isOnThisMachine(url: string | URL): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(URL.parse(url)?.hostname ?? "");
}

/** Requests to this machine do not use HTTP_PROXY. */
function direct(url: string | URL): { proxy?: false } {
  return isOnThisMachine(url) ? { proxy: false } : {};
}

/** The secret is sent there, so not through a network without TLS. */
function safe(url: string): string {
  const { protocol } = URL.parse(url) ?? {};
  const isHere = protocol === "http:" && isOnThisMachine(url);
  if (protocol === "https:" || isHere) return url.replace(/\/+$/, "");
  console.error("GATEHOUSE_URL must be an https address, or on this machine an http address.");
  process.exit(1);
}

/** Redirects are not followed, because they could lead the secret or the token elsewhere. */
async function ask(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(api.url + path, { ...init, ...direct(api.url), redirect: "manual" });
  const location = answer.headers.get("location");
  if (location) throw new Error(`${api.url} redirects to ${location}, which was not followed`);
  return answer;
}

/** Forwards changes until the stream ends. */
async function listen(): Promise<void> {
  const answer = await ask(`/Endpoint/rest/api/v1/WebhookEvent/Stream?${options.filter}`, {
    headers: { authorization: `Bearer ${await newToken()}`, ...(lastId && { "last-event-id": lastId }) },
  });
  if (!answer.ok || !answer.body) throw new Error(`${api.url} answered ${answer.status}: ${await answer.text()}`);
  let rest = "";
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("id: ")) lastId = line.slice(4);
      if (line.startsWith("data: ")) await forward(JSON.parse(line.slice(6)));
    }
  }
}

async function newToken(): Promise<string> {
  const answer = await ask("/oauth2/token", {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${api.clientId}:${api.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "Webhooks:Read" }),
  });
  if (!answer.ok) throw new Error(`${api.url} issued no token: ${await answer.text()}`);
  return (await answer.json()).access_token;
}

async function forward({ Sequence, Payload }: Change): Promise<void> {
  const { EventId, EventType, EventRecord } = Payload;
  if (known.has(EventId)) return;
  known.add(EventId);
  for (const oldest of known) if (known.size > MAX_REMEMBERED) known.delete(oldest);
  // The exact bytes of a webhook: compact JSON with the fields in order.
  const body = JSON.stringify(Payload);
  const began = performance.now();
  const outcome = await fetch(options.to, {
    ...direct(options.to),
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(Sequence && { "webhook-sequence": Sequence }),
      ...signatures(EventId, body),
    },
    body,
    redirect: "manual",
  }).then(
    ({ status }) => String(status),
    ({ message }: Error) => `no answer (${message})`,
  );
  const took = Math.round(performance.now() - began);
  console.log(
    `${new Date().toISOString()}  ${EventType} ${EventRecord}  event ${EventId}  ${outcome} after ${took} ms`,
  );
}

/** docs/webhooks.md "Verify the signature", and Standard Webhooks. */
function signatures(eventId: string, body: string): Record<string, string> {
  const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text);
  const { secret } = options;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  const seconds = Math.floor(Date.now() / 1_000);
  return {
    "X-Signature": hmac(secret, body).digest("hex"),
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${hmac(key, `${eventId}.${seconds}.${body}`).digest("base64")}`,
  };
}
