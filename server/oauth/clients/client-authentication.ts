// How a client proves who it is (RFC 6749 2.3), and what the audit log has of those that could not.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Logger } from "pino";
import { type Origin, originOf, recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import { TokenError } from "../endpoint.ts";
import type { FindKnownClient } from "./known-clients.ts";
import type { OnSecretUsed } from "./secret-uses.ts";
import type { Client } from "./store.ts";

/** How a client's secret is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}

/** @throws TokenError if the request does not prove to be a client's */
export type AuthenticateClient = (request: Request, form: Credentials) => Promise<Client>;

/** As a form has them. */
export interface Credentials {
  client_id?: string;
  client_secret?: string;
}

/** Why a client was refused: for who reads the audit log, never for who tries. */
export type Refusal = "NoSecret" | "WrongSecret" | "InactiveApplication";
/** Told of a request that did not prove to be the client's that it names; the answer waits for nothing that it does. */
export type OnRefusedClient = (request: Request, client: Pick<Client, "id" | "tenantId">, reason: Refusal) => void;

interface ClientAuthentication {
  findClient: FindKnownClient;
  onRefused: OnRefusedClient;
  onSecretUsed: OnSecretUsed;
}

interface Presented {
  clientId: string;
  /** "": none, as public clients have it. */
  secret: string;
}

/**
 * Who the client is: by form or Basic header (RFC 6749 2.3.1), public clients by their client_id alone (RFC 6749 2.1).
 * @throws TokenError; invalid_client with one text for every way that a secret can be wrong
 */
export async function authenticateClient(
  { findClient, onRefused, onSecretUsed }: ClientAuthentication,
  request: Request,
  form: Credentials,
): Promise<Client> {
  const { clientId, secret } = presentedCredentials(request, form);
  const known = proofOf(await findClient(clientId), secret);
  const proof = known?.refusal ? proofOf(await findClient(clientId, "anew"), secret) : known;
  if (proof && !proof.refusal) {
    if (proof.secretId) onSecretUsed(proof.secretId);
    return proof.client;
  }
  if (proof?.refusal) onRefused(request, proof.client, proof.refusal);
  if (secret === "") throw new TokenError("invalid_client", "client_secret is missing.");
  throw new TokenError("invalid_client", "Client authentication failed: client_id or client_secret is wrong.");
}

interface Proof {
  client: Client;
  /** Undefined: who asks has proved to be the client. */
  refusal?: Refusal | undefined;
  /** Of the secret that was presented. */
  secretId?: string | undefined;
}

function proofOf(client: Client | undefined, secret: string): Proof | undefined {
  if (!client) return undefined;
  if (secret === "" && client.clientType === "confidential") return { client, refusal: "NoSecret" };
  const secretId = secret === "" ? undefined : liveSecretId(client, secret);
  if (secret !== "" && secretId === undefined) return { client, refusal: "WrongSecret" };
  return { client, secretId, refusal: client.isActive ? undefined : "InactiveApplication" };
}

/** All of them are compared, whichever it is. */
function liveSecretId({ secrets }: Client, secret: string): string | undefined {
  const digest = hashSecret(secret);
  return secrets.filter((live) => timingSafeEqual(digest, live.digest))[0]?.id;
}

/** Who asks, for the audit log: a client without a secret has proved nothing. */
export function originOfClient(request: Request, { id, clientType }: Client): Origin {
  const actor = clientType === "confidential" ? ({ type: "Application", id } as const) : undefined;
  return originOf(request, { actor, clientId: String(id) });
}

function presentedCredentials(request: Request, form: Credentials): Presented {
  const header = request.headers.get("authorization");
  const { client_id: clientId, client_secret: secret } = form;
  if (header === null) {
    if (!clientId) throw new TokenError("invalid_client", "client_id is missing.");
    return { clientId, secret: secret ?? "" };
  }
  if (secret) {
    throw new TokenError(
      "invalid_request",
      "Send the client's credentials in the form or in the Authorization header, not both.",
    );
  }
  const basic = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  const pair = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8");
  const colon = pair?.indexOf(":") ?? -1;
  if (pair === undefined || colon < 1) {
    throw new TokenError("invalid_client", "Client authentication failed: the Authorization header is not Basic.");
  }
  const user = formDecoded(pair.slice(0, colon));
  if (clientId && clientId !== user) {
    throw new TokenError("invalid_request", "client_id in the form is not the one in the Authorization header.");
  }
  return { clientId: user, secret: formDecoded(pair.slice(colon + 1)) };
}

/** RFC 6749 2.3.1 has both parts form-encoded; many clients send them raw, which our generated values survive. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

// What the audit log has of clients that could not prove who they are.

/** Anybody can fail as a client, as often as they like: in this time one row of each client is enough. */
const ROW_EVERY_MS = 60_000;
/** From this many clients on, those that have been told of long ago are forgotten. */
const CLIENTS_KEPT = 10_000;
/** Rows in memory that are still to be written. A process that ends loses them. */
export const MOST_ROWS_WAITING = 100;

interface Told {
  /** Milliseconds of `now`. */
  at: number;
  /** Failures since then, which no row tells of yet. */
  untold: number;
}

/**
 * Writes the first failure down, and the next one that comes after the time is over, with how many there were in between.
 * Each process counts for itself, in memory. The answer does not wait for the row: of a client that there is not there
 * is none, and time would tell them apart. One row is written after the other; while too many wait, failures are only
 * counted, for the client's next one.
 */
export function createOnRefusedClient(sql: Sql, log: Pick<Logger, "error">, now = () => performance.now()) {
  const clients = new Map<number, Told>();
  let written = Promise.resolve();
  let waiting = 0;

  function sweep(time: number): void {
    for (const [id, { at }] of clients) if (time - at >= ROW_EVERY_MS) clients.delete(id);
  }

  const onRefused: OnRefusedClient = (request, { id, tenantId }, reason) => {
    const time = now();
    const told = clients.get(id);
    if (told && time - told.at < ROW_EVERY_MS) {
      told.untold++;
      return;
    }
    if (clients.size >= CLIENTS_KEPT) sweep(time);
    const untold = told?.untold ?? 0;
    if (waiting >= MOST_ROWS_WAITING) {
      clients.set(id, { at: time - ROW_EVERY_MS, untold: untold + 1 });
      return;
    }
    clients.set(id, { at: time, untold: 0 });
    waiting++;
    const origin = originOf(request, { clientId: String(id) });
    written = written
      .then(() =>
        recordAudit(sql, tenantId, origin, {
          kind: "ClientAuthentication.Failed",
          subject: { type: "Application", id },
          details: { Reason: reason, Times: 1 + untold },
        }),
      )
      .catch((err) => log.error({ err, tenantId, clientId: id, reason }, "a refused client is not in the audit log"))
      .finally(() => {
        waiting--;
      });
  };
  return onRefused;
}
