import { createHash, timingSafeEqual } from "node:crypto";
import { type Origin, originOf } from "../audit/index.ts";
import type { FindKnownClient } from "./known-clients.ts";
import type { Client } from "./store.ts";
import { TokenError } from "./token-error.ts";

/** How a client's secret is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}

/** @throws TokenError if the request does not prove to be a client's */
export type AuthenticateClient = (request: Request, form: Map<string, string>) => Promise<Client>;

/** Why a client was refused: for who reads the audit log, never for who tries. */
export type Refusal = "NoSecret" | "WrongSecret" | "InactiveApplication";
/** Told of a request that did not prove to be the client's that it names; the answer waits for nothing that it does. */
export type OnRefusedClient = (request: Request, client: Pick<Client, "id" | "tenantId">, reason: Refusal) => void;

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
  { findClient, onRefused }: { findClient: FindKnownClient; onRefused: OnRefusedClient },
  request: Request,
  form: Map<string, string>,
): Promise<Client> {
  const { clientId, secret } = presentedCredentials(request, form);
  const known = await findClient(clientId);
  const client = known && refusalOf(known, secret) ? await findClient(clientId, "anew") : known;
  const reason = client && refusalOf(client, secret);
  if (client && reason === undefined) return client;
  if (client && reason) onRefused(request, client, reason);
  if (secret === "") throw new TokenError("invalid_client", "client_secret is missing.");
  throw new TokenError("invalid_client", "Client authentication failed: client_id or client_secret is wrong.");
}

/** @returns undefined if it has proved to be the client */
function refusalOf({ clientType, isActive, digests }: Client, secret: string): Refusal | undefined {
  const digest = hashSecret(secret);
  const matches = digests.filter((live) => timingSafeEqual(digest, live)).length > 0;
  const isProved = secret === "" ? clientType !== "confidential" : matches;
  if (!isProved) return secret === "" ? "NoSecret" : "WrongSecret";
  return isActive ? undefined : "InactiveApplication";
}

/** Who asks, for the audit log: a client without a secret has proved nothing. */
export function originOfClient(request: Request, { id, clientType }: Client): Origin {
  const actor = clientType === "confidential" ? ({ type: "Application", id } as const) : undefined;
  return originOf(request, { actor, clientId: String(id) });
}

function presentedCredentials(request: Request, form: Map<string, string>): Presented {
  const header = request.headers.get("authorization");
  // A parameter without a value counts as absent (RFC 6749 3.2).
  const clientId = form.get("client_id");
  const secret = form.get("client_secret");
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
