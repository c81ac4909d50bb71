// A proxy in front of the Temporal UI that accepts only its own host names. The dev server's UI accepts any Host, so a
// foreign page could read and end workflows.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { urlOf } from "../../platform/address.ts";
import { requestUrl } from "../../platform/http/request.ts";
import { refuseForeignHost } from "./own-host.ts";
import { nextFreePort, type Reserved } from "./ports.ts";

const LOOPBACK = "127.0.0.1";
/** Seconds without data after which a connection is closed. */
const IDLE_LIMIT = 60;
/** RFC 9110 7.6.1; headers that belong to a single connection. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "host"];

export interface ListenAddress {
  host: string;
  port: number;
}

export interface TemporalUiOptions {
  port: number;
  inner: ListenAddress;
  url?: string;
}

export interface TemporalUi {
  stop(): Promise<void>;
}

export function serveTemporalUi({ port, inner, url }: TemporalUiOptions): TemporalUi {
  const more = url ? [urlOf(url).host] : [];
  const server = Bun.serve({
    hostname: LOOPBACK,
    port,
    reusePort: false,
    development: false,
    idleTimeout: IDLE_LIMIT,
    fetch: (request) => refuseForeignHost(request, port, more) ?? forward(request, inner),
  });
  return { stop: () => server.stop(true) };
}

async function forward(request: Request, { host, port }: ListenAddress): Promise<Response> {
  const { pathname, search } = requestUrl(request);
  const headers = new Headers(request.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  try {
    const answer = await fetch(`http://${host}:${port}${pathname}${search}`, {
      method: request.method,
      headers,
      body: request.body === null ? undefined : await request.arrayBuffer(),
      redirect: "manual",
      decompress: false,
      signal: request.signal,
      // Local requests must not use a configured proxy.
      proxy: false,
    });
    for (const name of HOP_BY_HOP) answer.headers.delete(name);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  } catch {
    return new Response("The Temporal server does not answer. Try again in a moment.\n", { status: 502 });
  }
}

/** Unpredictable: on Linux one of 16 million loopback addresses, elsewhere a random port of 127.0.0.1. */
export async function innerPlace(reserved: Reserved): Promise<ListenAddress> {
  const [second, third, fourth] = [randomInt(1, 255), randomInt(1, 255), randomInt(1, 255)];
  const hidden = `127.${second}.${third}.${fourth}`;
  const host = (await isOurs(hidden)) ? hidden : LOOPBACK;
  return { host, port: await nextFreePort(0, host, reserved) };
}

function isOurs(host: string): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen({ port: 0, host, exclusive: true }, () => server.close(() => done(true)));
  });
}
