// Client authentication (RFC 6749 2.3, RFC 7523, RFC 8705), and audit entries of failures.

import { timingSafeEqual } from "node:crypto";
import type { Logger } from "pino";
import type { Sql } from "../../../platform/db/sql.ts";
import { TooManyRequests } from "../../../platform/errors.ts";
import { clientNetwork } from "../../../platform/http/context.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { type Origin, originOf, recordAudit } from "../../../records/index.ts";
import { digestOf } from "../../signin/opaque.ts";
import { isNamed, isValidNow } from "../certificate.ts";
import { RFC_TOKEN_PATH } from "../door.ts";
import { TokenError } from "../errors.ts";
import type { Mtls } from "../mtls.ts";
import { ASSERTION_TYPE, type Assertion, readAssertion } from "./client-assertion.ts";
import type { IsSignedByClient } from "./client-keys.ts";
import type { FindKnownClient } from "./known-clients.ts";
import type { OnSecretUsed } from "./secret-uses.ts";
import type { Client } from "./store.ts";
import { MAX_USED_JWTS, type UseJwt } from "./used-jwts.ts";

/** By private_key_jwt, the client is the present one, not from memory. @throws TokenError if authentication fails */
export type AuthenticateClient = (request: Request, form: PresentedCredentials) => Promise<Client>;

export interface PresentedCredentials {
  client_id?: string;
  client_secret?: string;
  client_assertion_type?: string;
  client_assertion?: string;
}

/** Why authentication failed; for the audit log only. */
export type ClientRefusal =
  | "NoSecret"
  | "WrongSecret"
  | "WrongMethod"
  | "WrongAssertion"
  | "UsedAssertion"
  | "NoCertificate"
  | "WrongCertificate"
  | "ExpiredCertificate"
  | "InactiveApplication";
/** Called when authentication as an existing client fails; the response does not wait for it. */
export type OnRefusedClient = (
  request: Request,
  client: Pick<Client, "id" | "tenantId">,
  reason: ClientRefusal,
) => void;

interface ClientAuthentication {
  issuer: string;
  mtls: Mtls;
  findClient: FindKnownClient;
  isSignedByClient: IsSignedByClient;
  useOnce: UseJwt;
  onRefused: OnRefusedClient;
  onSecretUsed: OnSecretUsed;
}

type Presented = { clientId: string } & (
  | { method: "none" }
  | { method: "client_secret_basic" | "client_secret_post"; secret: string }
  | { method: "private_key_jwt"; assertion: Assertion }
);

/** RFC 6749 2.1/2.3.1; RFC 7523 2.2; RFC 8705 2.1. @throws TokenError with one text for wrong secrets and signatures */
export async function authenticateClient(
  deps: ClientAuthentication,
  request: Request,
  form: PresentedCredentials,
): Promise<Client> {
  return authenticateAs(deps, request, presentedCredentials(request, form, deps));
}

/** With a secret that is neither in a form nor in a header for clients. @throws TokenError */
export function authenticateBySecret(
  deps: ClientAuthentication,
  request: Request,
  clientId: string,
  secret: string,
): Promise<Client> {
  return authenticateAs(deps, request, { clientId, method: "client_secret_basic", secret });
}

async function authenticateAs(deps: ClientAuthentication, request: Request, presented: Presented): Promise<Client> {
  const { mtls, findClient, useOnce, onRefused, onSecretUsed } = deps;
  const { clientId } = presented;
  const prove = async (anew?: "anew") => proofOf(deps, request, await findClient(clientId, anew), presented);

  async function proved(proof: Proof | undefined): Promise<Client> {
    if (proof && !proof.refusal) return proof.client;
    if (proof?.refusal) onRefused(request, proof.client, proof.refusal);
    const isBare = presented.method === "none" && mtls.url !== undefined;
    if (!isBare) throw new TokenError("invalid_client", FAILED[presented.method]);
    // One text for wrong, expired and unknown clients' certificates, so it does not reveal whether the client exists.
    throw new TokenError("invalid_client", (await mtls.certificateOf(request)) ? WRONG_CERTIFICATE : NO_CERTIFICATE);
  }

  const known = await prove();
  const proof = known?.refusal ? await prove("anew") : known;
  const client = await proved(proof);
  if (proof?.secretId) onSecretUsed(proof.secretId);
  if (presented.method !== "private_key_jwt") return client;
  requireProfile(client, presented.assertion);
  const { jti, expiresAt } = presented.assertion;
  const { use, version } = await useOnce(client.tenantId, { clientId: client.id, issuer: clientId, jti, expiresAt });
  if (use === "TooMany") throw tooManyAssertions();
  if (use === "Used") {
    onRefused(request, client, "UsedAssertion");
    throw new TokenError("invalid_client", "Client authentication failed: client_assertion was used before.");
  }
  // The client has changed since it was read, perhaps its keys.
  return version === client.version ? client : proved(await prove("anew"));
}

/** FAPI 2.0 Security Profile 5.3.2.1 and 5.4.1. */
function requireProfile({ securityProfile }: Client, { alg, isForIssuerAlone }: Assertion): void {
  if (securityProfile !== "FAPI2" || (isForIssuerAlone && alg !== "RS256")) return;
  const problem = isForIssuerAlone ? "alg must not be RS256" : "aud must be only the issuer";
  throw new TokenError("invalid_client", `Client authentication failed: client_assertion is wrong: ${problem}.`);
}

function tooManyAssertions(): TooManyRequests {
  return new TooManyRequests(
    `${MAX_USED_JWTS} unexpired assertions of this client are in use. Issue them with a lifetime of a minute.`,
    60,
  );
}

const WRONG_SECRET = "Client authentication failed: client_id or client_secret is wrong.";
const NO_CERTIFICATE = "Client authentication failed: neither a secret nor a certificate was sent.";
const WRONG_CERTIFICATE =
  "Client authentication failed: the certificate that was sent is not this client's, or is not valid now.";
const FAILED: Record<Presented["method"], string> = {
  none: "client_secret is missing.",
  client_secret_basic: WRONG_SECRET,
  client_secret_post: WRONG_SECRET,
  private_key_jwt: "Client authentication failed: client_assertion is not signed by a key of the client.",
};

interface Proof {
  client: Client;
  /** Undefined: authentication succeeded. */
  refusal?: ClientRefusal | undefined;
  secretId?: string | undefined;
}

async function proofOf(
  { isSignedByClient, mtls }: Pick<ClientAuthentication, "isSignedByClient" | "mtls">,
  request: Request,
  client: Client | undefined,
  presented: Presented,
): Promise<Proof | undefined> {
  // A client with a metadata document is known only by its address.
  if (!client || (client.documentUrl ?? presented.clientId) !== presented.clientId) return undefined;
  const { method } = presented;
  const declared = client.tokenEndpointAuthMethod;
  const inactive = client.isActive ? undefined : "InactiveApplication";
  // The certificate belongs to the connection, so the request itself presents nothing.
  if (declared === "tls_client_auth" && method === "none") {
    return { client, refusal: (await certificateProblem(mtls, request, client)) ?? inactive };
  }
  if (declared === null ? method === "private_key_jwt" : method !== declared) return { client, refusal: "WrongMethod" };
  if (method === "none") return { client, refusal: client.clientType === "confidential" ? "NoSecret" : inactive };
  if (method === "private_key_jwt") {
    const isSigned = await isSignedByClient(client, presented.assertion.jwt);
    return { client, refusal: isSigned ? inactive : "WrongAssertion" };
  }
  const secretId = liveSecretId(client, presented.secret);
  return { client, secretId, refusal: secretId === undefined ? "WrongSecret" : inactive };
}

async function certificateProblem(mtls: Mtls, request: Request, client: Client): Promise<ClientRefusal | undefined> {
  const certificate = await mtls.certificateOf(request);
  if (!certificate) return "NoCertificate";
  if (!isNamed(certificate, client.tlsClientAuthName, client.tlsClientAuthValue)) return "WrongCertificate";
  return isValidNow(certificate) ? undefined : "ExpiredCertificate";
}

/** Compares all secrets, to take constant time. */
function liveSecretId({ secrets }: Client, secret: string): string | undefined {
  const digest = digestOf(secret);
  return secrets.filter((live) => timingSafeEqual(digest, live.digest))[0]?.id;
}

/** The actor for the audit log; a client without a secret is unauthenticated. */
export function originOfClient(request: Request, { id, clientType }: Client): Origin {
  const actor = clientType === "confidential" ? ({ type: "Application", id } as const) : undefined;
  return originOf(request, { actor, clientId: String(id) });
}

/** Undefined for authenticated clients. Openly registered ones count as unauthenticated even with a secret. */
export function strangersNetwork(request: Request, { clientType, isOpen }: Client): string | undefined {
  return clientType === "confidential" && !isOpen ? undefined : clientNetwork(request);
}

function presentedCredentials(request: Request, form: PresentedCredentials, at: Addresses): Presented {
  const header = request.headers.get("authorization");
  const { client_id: clientId, client_secret: secret, client_assertion: assertion } = form;
  // RFC 6749 2.3.
  if (header !== null && (secret || assertion)) {
    throw new TokenError(
      "invalid_request",
      "Send the client's credentials in the form or in the Authorization header, not both.",
    );
  }
  if (secret && assertion) throw new TokenError("invalid_request", "Send client_secret or client_assertion, not both.");
  if (assertion || form.client_assertion_type) return presentedAssertion(request, form, at);
  if (header === null) {
    if (!clientId) throw new TokenError("invalid_client", "client_id is missing.");
    return secret ? { clientId, method: "client_secret_post", secret } : { clientId, method: "none" };
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
  const password = formDecoded(pair.slice(colon + 1));
  return password === ""
    ? { clientId: user, method: "none" }
    : { clientId: user, method: "client_secret_basic", secret: password };
}

type Addresses = Pick<ClientAuthentication, "issuer" | "mtls">;

/** RFC 7521 4.2: client_id may be omitted. */
function presentedAssertion(request: Request, form: PresentedCredentials, { issuer, mtls }: Addresses): Presented {
  const { client_id: clientId, client_assertion: jwt, client_assertion_type: type } = form;
  if (type !== ASSERTION_TYPE)
    throw new TokenError("invalid_request", `client_assertion_type must be ${ASSERTION_TYPE}.`);
  if (!jwt) throw new TokenError("invalid_request", "client_assertion is missing.");
  // Some libraries end the issuer in a slash.
  const audiences = [
    issuer,
    `${issuer}/`,
    issuer + RFC_TOKEN_PATH,
    mtls.baseOf(request) + requestUrl(request).pathname,
  ];
  const assertion = readAssertion(jwt, audiences);
  if (clientId && clientId !== assertion.clientId) {
    throw new TokenError("invalid_request", "client_id in the form is not the one in client_assertion.");
  }
  return { clientId: assertion.clientId, method: "private_key_jwt", assertion };
}

/** RFC 6749 2.3.1 requires form encoding of both parts; many clients send them raw, which generated values survive. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Failures can be caused at any rate, so each client gets one entry per interval. */
const ROW_EVERY_MS = 60_000;
/** Above this many clients, those with old entries are forgotten. */
const CLIENTS_KEPT = 10_000;
/** The maximum number of entries in memory that wait to be written. A process that ends loses them. */
export const MAX_ROWS_WAITING = 100;

interface FailureCount {
  /** Milliseconds of `now`. */
  at: number;
  /** Failures since the last entry. */
  unrecorded: number;
}

/**
 * Each process counts separately. The response does not wait, because unknown clients have no entry and timing would
 * reveal them. Entries are written one at a time; while too many wait, failures are only counted.
 */
export function createOnRefusedClient(sql: Sql, log: Pick<Logger, "error">, now = () => performance.now()) {
  const clients = new Map<number, FailureCount>();
  let written = Promise.resolve();
  let waiting = 0;

  function sweep(time: number): void {
    for (const [id, { at }] of clients) if (time - at >= ROW_EVERY_MS) clients.delete(id);
  }

  const onRefused: OnRefusedClient = (request, { id, tenantId }, reason) => {
    const time = now();
    const last = clients.get(id);
    if (last && time - last.at < ROW_EVERY_MS) {
      last.unrecorded++;
      return;
    }
    if (clients.size >= CLIENTS_KEPT) sweep(time);
    const unrecorded = last?.unrecorded ?? 0;
    if (waiting >= MAX_ROWS_WAITING) {
      clients.set(id, { at: time - ROW_EVERY_MS, unrecorded: unrecorded + 1 });
      return;
    }
    clients.set(id, { at: time, unrecorded: 0 });
    waiting++;
    const origin = originOf(request, { clientId: String(id) });
    written = written
      .then(() =>
        recordAudit(sql, tenantId, origin, {
          kind: "ClientAuthentication.Failed",
          subject: { type: "Application", id },
          details: { Reason: reason, Times: 1 + unrecorded },
        }),
      )
      .catch((err) =>
        log.error({ err, tenantId, clientId: id, reason }, "a failed client authentication could not be audited"),
      )
      .finally(() => {
        waiting--;
      });
  };
  return onRefused;
}
