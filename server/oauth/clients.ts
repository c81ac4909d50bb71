import { createHash, timingSafeEqual } from "node:crypto";
import type { Sql } from "../db/connection.ts";
import { type Client, findClient } from "./store.ts";
import { TokenError } from "./token-error.ts";

/** How a client's secret is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}

/**
 * Client authentication by form or Basic header (RFC 6749 2.3.1).
 * @throws TokenError Unauthorized with one text for every way it can fail
 */
export async function authenticateClient(sql: Sql, request: Request, form: Map<string, string>): Promise<Client> {
  const presented = presentedCredentials(request, form);
  const id = /^[1-9]\d{0,15}$/.test(presented.clientId) ? Number(presented.clientId) : undefined;
  const client = id === undefined || !Number.isSafeInteger(id) ? undefined : await findClient(sql, id);
  const digest = hashSecret(presented.secret);
  const matches = (client?.digests ?? []).filter((live) => timingSafeEqual(digest, live)).length > 0;
  if (!client?.isActive || !matches) {
    throw new TokenError("Unauthorized", "Client authentication failed: client_id or client_secret is wrong.");
  }
  return client;
}

function presentedCredentials(request: Request, form: Map<string, string>): { clientId: string; secret: string } {
  const header = request.headers.get("authorization");
  // A parameter without a value counts as absent (RFC 6749 3.2).
  const clientId = form.get("client_id");
  const secret = form.get("client_secret");
  if (header === null) {
    if (!clientId) throw new TokenError("Bad Input", "client_id is missing.");
    if (!secret) throw new TokenError("Bad Input", "client_secret is missing.");
    return { clientId, secret };
  }
  if (secret) {
    throw new TokenError(
      "Bad Input",
      "Send the client's credentials in the form or in the Authorization header, not both.",
    );
  }
  const basic = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  const pair = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8");
  const colon = pair?.indexOf(":") ?? -1;
  if (pair === undefined || colon < 1) {
    throw new TokenError("Unauthorized", "Client authentication failed: the Authorization header is not Basic.");
  }
  const user = formDecoded(pair.slice(0, colon));
  if (clientId && clientId !== user) {
    throw new TokenError("Bad Input", "client_id in the form is not the one in the Authorization header.");
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
