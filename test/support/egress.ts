// A real HTTPS server on loopback with its own authority, and an egress that trusts it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";
import { ensureReceiverCertificate } from "../../examples/receiver/certificate.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import {
  createEgress,
  type EgressOutcome,
  type EgressRequest,
  type Resolve,
} from "../../server/platform/egress/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { idOf } from "../world/api.ts";

/** Kept between runs; the files of one run share it, so none of them can remove it. */
const folder = join(PROJECT_ROOT, "node_modules", ".cache", "gatehouse-egress-test");
export const certificate = await ensureReceiverCertificate(folder);
export const tls = { cert: readFileSync(certificate.certFile, "utf8"), key: readFileSync(certificate.keyFile, "utf8") };

export interface Received {
  url: URL;
  headers: Headers;
  body: string;
}

/** Its certificate is only for localhost, 127.0.0.1 and ::1. */
export function startReceiver(answer: (received: Received) => Response | Promise<Response>, hostname = "127.0.0.1") {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname,
    port: 0,
    tls,
    async fetch(request) {
      const call = { url: new URL(request.url), headers: request.headers, body: await request.text() };
      received.push(call);
      return answer(call);
    },
  });
  return { port: server.port!, received, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** Speaks TLS, then anything instead of HTTP. */
export async function startRawReceiver(onRequest: (socket: TLSSocket) => void) {
  const server = createServer(tls, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => onRequest(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as { port: number }).port, [Symbol.dispose]: () => void server.close() };
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const port = server.port!;
  await server.stop(true);
  return port;
}

export const TENANT = idOf<TenantId>("tenant");

export function trustingEgress(allow: string[], resolve?: Resolve) {
  return createEgress({ allow, deny: [], dns: [], caFile: certificate.caFile }, resolve);
}

export function request(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return {
    tenantId: TENANT,
    url,
    headers: { "Content-Type": "application/json" },
    body: "{}",
    timeoutMs: 5000,
    ...more,
  };
}

export function failureOf(outcome: EgressOutcome): string {
  if (outcome.kind === "unsent") return outcome.kind;
  return outcome.kind === "failure" ? outcome.failure : `answered ${outcome.status}`;
}
