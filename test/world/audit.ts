// The audit log as its readers see it.

import { expect } from "bun:test";
import { ROOT } from "../support/pages.ts";
import type { Answer, Api } from "./api.ts";
import { storedText } from "./rows.ts";

export interface AuditEvent {
  Id: string;
  OccurredOn: string;
  Kind: string;
  Outcome: "Success" | "Failure";
  Actor: { Type: string; Id: string } | null;
  ClientId: string | null;
  Address: string;
  UserAgent: string;
  Subject: { Type: string; Id: string } | null;
  Details: Record<string, unknown>;
  RequestKey: string;
}

/** Newest first. @param query such as `Kind=SignOut` */
export async function logOf(caller: Pick<Api, "get">, query = ""): Promise<AuditEvent[]> {
  const { status, body }: Answer = await caller.get(`/AuditEvent?Limit=200&${query}`);
  expect({ status, errors: body.Errors }).toEqual({ status: 200, errors: undefined });
  return body.Items;
}

/** Oldest first. */
export async function kindsOf(caller: Pick<Api, "get">): Promise<string[]> {
  return (await logOf(caller)).map(({ Kind }) => Kind).reverse();
}

/** All values in the tenant's rows. */
export async function textOf(tenantId: string): Promise<string> {
  return storedText("audit_log", { tenant_id: tenantId });
}

/** The fields of an entry by the tenant's client with its token. */
export function byClient({ clientId }: Pick<Api, "clientId">) {
  return { Actor: { Type: "Application", Id: clientId }, ...fromHere(clientId) };
}

/** Fields of every entry in a test: the source and the request. */
export function fromHere(clientId: string | null) {
  return {
    ClientId: clientId,
    Address: "127.0.0.1",
    UserAgent: expect.stringMatching(/^Bun\//),
    RequestKey: expect.stringMatching(/./),
  };
}

/** The command `audit` of an operator. */
export async function runAudit(DATABASE_URL: string, ...options: string[]): Promise<{ code: number; printed: string }> {
  const child = Bun.spawn([process.execPath, "server/appliance/commands/audit.ts", ...options], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL, LOG_FORMAT: "text" },
    stderr: "pipe",
  });
  const printed = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  return { code: await child.exited, printed: printed.join("") };
}
