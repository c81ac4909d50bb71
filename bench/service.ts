// Starts a complete Gatehouse in a new folder, with receivers and clients.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureReceiverCertificate, type ReceiverCertificate } from "../examples/receiver/certificate.ts";
import { Installation, type PartName } from "../server/appliance/embedded/installation.ts";
import { createTenant, type NewTenant } from "../server/identity/tenants/index.ts";
import { connect, type Sql } from "../server/platform/db/sql.ts";
import type { TenantId } from "../server/platform/ids.ts";
import { residentMiB } from "./processes.ts";

/** High enough for all clients of the bench. */
const RATE_LIMIT = "1000000";
const API = "/Endpoint/rest/api/v1";

export interface Service extends AsyncDisposable {
  dataDir: string;
  temporalAddress: string;
  certificate: ReceiverCertificate;
  /** The process id of each part. */
  pids: Record<PartName, number>;
  /** For setup and counts. */
  sql: Sql;
  /** Resident memory of the API's process. */
  apiMiB(): Promise<number>;
  newTenant(): Promise<Tenant>;
}

export interface Tenant {
  id: TenantId;
  fetch(method: string, path: string, body?: unknown): Promise<Response>;
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Opens a sign-in page, which can be submitted repeatedly. */
  signInForm(): Promise<{ submit(username: string, password: string): Promise<number> }>;
  /** Upserts an Application. */
  change(fields: Record<string, unknown>): Promise<void>;
  /** Makes a webhook connection for each of these receivers. */
  connect(urls: string[]): Promise<void>;
}

/** @param env settings beside the defaults */
export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  // If we are root, PostgreSQL runs as a different user, which must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const certificate = await ensureReceiverCertificate(dataDir);
  const stopping = new AbortController();
  const installation = new Installation({
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      PORT: "0",
      LOG_LEVEL: "info",
      RATE_LIMIT,
      RATE_LIMIT_BURST: RATE_LIMIT,
      EGRESS_ALLOW: "127.0.0.0/8,::1/128",
      EGRESS_CA_FILE: certificate.caFile,
      METRICS_PORT: "",
      ...env,
      DATA_DIR: dataDir,
    },
    logToFile: true,
    ports: { postgresql: 0, temporal: 0, temporalUi: 0 },
    say: (line) => console.error(line),
    signal: stopping.signal,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopping.abort();
    stopped ??= installation.stop().finally(() => rmSync(dataDir, { recursive: true, force: true }));
    return stopped;
  };
  // Its parts have their own process groups, so they do not receive Ctrl-C. `bun run` may forward the signal a second time.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void stop().finally(() => process.exit(1)));
  }
  try {
    const { localUrl, databaseUrl, temporalAddress } = await installation.start();
    const sql = connect(databaseUrl, "gatehouse bench", 2);
    const pids = Object.fromEntries(Object.entries(installation.parts).map(([name, part]) => [name, part.pid!]));
    return {
      dataDir,
      temporalAddress,
      certificate,
      pids: pids as Service["pids"],
      sql,
      apiMiB: () => residentMiB(pids.api!),
      newTenant: () => newTenant(localUrl, sql),
      async [Symbol.asyncDispose]() {
        await sql.end();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function newTenant(url: string, sql: Sql): Promise<Tenant> {
  const { tenantId, client } = await createTenant(sql, `bench ${Bun.randomUUIDv7()}`);
  const answer = await fetch(`${url}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      scope: "*",
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const send = (method: string, path: string, body?: unknown) =>
    fetch(url + API + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const post = async (path: string, fields: unknown) => {
    const made = await send("POST", path, fields);
    const text = await made.text();
    if (made.status !== 200) throw new Error(`${path}: ${made.status} ${text}`);
  };
  return {
    id: tenantId,
    fetch: send,
    async request(method, path, body) {
      const answered = await send(method, path, body);
      return { status: answered.status, body: await answered.json() };
    },
    signInForm: () => openSignIn(url, client),
    change: (fields) => post("/Application", fields),
    async connect(urls) {
      for (const [index, URL] of urls.entries()) {
        const fields = { Name: `bench ${index}`, URL, Entities: ["Application"], Events: ["Created"] };
        await post("/WebhookConnection", { ...fields, Secret: "bench" });
      }
    },
  };
}

async function openSignIn(url: string, { clientId, redirectUris }: NewTenant["client"]) {
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUris[0]! });
  const page = await fetch(`${url}/oauth2/authorize?${query}`);
  const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())![1]!;
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  return {
    async submit(username: string, password: string) {
      const body = new URLSearchParams({ csrf, request: `/oauth2/authorize?${query}`, username, password });
      const answer = await fetch(`${url}/signin`, { method: "POST", headers: { cookie }, body, redirect: "manual" });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}
