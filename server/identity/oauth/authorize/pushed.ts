// Pushed authorization requests (RFC 9126). The browser sends a request_uri; other parameters are ignored. A request is
// answered once. Until then its pages can be reloaded, so programs that open addresses in advance do no harm.

import { createHash } from "node:crypto";
import type { Sql } from "../../../platform/db/sql.ts";
import { BadInput, TooManyRequests } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import type { FindKnownClient } from "../clients/known-clients.ts";
import { type Client, clientIdOf } from "../clients/store.ts";
import { AuthorizationError } from "../errors.ts";
import { AUTHORIZATION_PARAMETERS, parseParameters, type RequestParameters } from "./parameters.ts";
import { findPush, insertPush, type NewPush, TIME_TO_SIGN_IN, takePush } from "./pushed.store.ts";

/** Seconds until the browser must use the request. */
export const PUSH_LIFETIME = 90;
/** Seconds for which a signed request is kept after it expires, to allow for clock differences with PostgreSQL. */
const CLOCKS_DIFFER = 60;
/** Limits per client, and per address for clients without a secret. */
export const MAX_PUSHES = { client: 20_000, address: 1_000 };

const URN = "urn:ietf:params:oauth:request_uri:";
const PURPOSE = "pushed authorization request";

export interface PushReference {
  tenantId: TenantId;
  digest: Buffer;
  /** The browser brought a request signed by the client. */
  isSigned: boolean;
}

export interface OpenedRequest {
  parameters: RequestParameters;
  /** The present client, if it was read for the request. */
  client?: Client | undefined;
  /** Undefined: the browser sent the parameters themselves. */
  pushed?: PushReference;
  /** The request demands a sign-in: sessions that began before this time do not count. */
  signedInSince?: Date | undefined;
  /** The request object was rejected, used or has expired. */
  refused?: AuthorizationError | undefined;
}

export interface PushedRequests {
  /**
   * @param network the origin of the push, if the client has no secret @returns the request_uri
   * @throws TooManyRequests; AuthorizationError if the object was already used
   */
  push(client: Client, parameters: string, network: string | undefined, signed?: SignedObject): Promise<string>;
  /** The request is kept until its signature expires, so it is answered once. @throws TooManyRequests */
  openSigned(client: Client, signed: SignedRequest): Promise<OpenedRequest>;
  /** Opens a browser's request. @throws BadInput if it names a pushed request of a different client */
  open(parameters: RequestParameters): Promise<OpenedRequest>;
  /** @returns false if it was already used */
  take(reference: PushReference): Promise<boolean>;
}

export interface SignedObject {
  object: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

export interface SignedRequest extends SignedObject {
  /** The signed parameters in form encoding. */
  parameters: string;
}

/** A user's progress in a request, sealed, so no step can be skipped. */
interface Progress {
  /** In base64. */
  digest: string;
  prompt: string | null;
  maxAge: string | null;
}

export function createPushedRequests(deps: { sql: Sql; vault: Vault; findClient: FindKnownClient }): PushedRequests {
  const { sql, vault, findClient } = deps;
  const references = vault.vaultFor(PURPOSE).sealFor(PURPOSE);

  function read(reference: string): { digest: Buffer; progress?: Progress } | undefined {
    if (reference.length === newOpaqueValue().length) return { digest: digestOf(reference) };
    try {
      const progress: Progress = JSON.parse(references.open(Buffer.from(reference, "base64url")));
      return { digest: Buffer.from(progress.digest, "base64"), progress };
    } catch {
      return undefined;
    }
  }

  function carriedBy(clientId: string, digest: Buffer) {
    return (all: URLSearchParams): string => {
      const progress: Progress = {
        digest: digest.toString("base64"),
        prompt: all.get("prompt"),
        maxAge: all.get("max_age"),
      };
      const sealed = references.seal(JSON.stringify(progress)).toString("base64url");
      return new URLSearchParams({ client_id: clientId, request_uri: URN + sealed }).toString();
    };
  }

  const keep = ({ id, tenantId }: Client, push: Omit<NewPush, "clientId">, seconds: number) =>
    insertPush(sql, tenantId, { clientId: id, ...push }, seconds, MAX_PUSHES);

  return {
    async push(client, parameters, network, signed) {
      const reference = newOpaqueValue();
      const object = signed && kept(client, signed);
      if (object && (await findPush(sql, client.tenantId, client.id, object.digest))?.isUsed) {
        throw usedBefore({ isSigned: true });
      }
      const push = { digest: digestOf(reference), parameters, network, object };
      if (!(await keep(client, push, PUSH_LIFETIME))) throw tooMany();
      return URN + reference;
    },

    async openSigned(client, { object: text, parameters, expiresAt }) {
      const object = kept(client, { object: text, expiresAt });
      const { digest } = object;
      const seconds = Math.max(PUSH_LIFETIME, expiresAt - Date.now() / 1000 + CLOCKS_DIFFER);
      const find = () => findPush(sql, client.tenantId, client.id, digest);
      const known = await find();
      const isNew = !known && (await keep(client, { digest, parameters, object }, seconds));
      // A concurrent process may have stored it.
      const found = known ?? (isNew ? { isUsed: false } : await find());
      if (!found) throw tooMany();
      const pushed = { tenantId: client.tenantId, digest, isSigned: true };
      return {
        parameters: parseParameters(AUTHORIZATION_PARAMETERS, parameters, carriedBy(clientIdOf(client), digest)),
        pushed,
        refused: found.isUsed ? usedBefore(pushed) : undefined,
      };
    },

    async open(parameters) {
      const { client_id: clientId, request_uri: uri } = parameters.sent;
      if (!uri?.startsWith(URN)) return { parameters };
      const isTwice = parameters.repeated.some((name) => name === "client_id" || name === "request_uri");
      const known = clientId && !isTwice ? await findClient(clientId) : undefined;
      const reference = read(uri.slice(URN.length));
      const found = known && reference && (await findPush(sql, known.tenantId, known.id, reference.digest));
      if (!found) throw unknown();
      const client = known.version === found.version ? known : await findClient(clientId!, "anew");
      const { digest, progress } = reference;
      const all = new URLSearchParams(found.parameters);
      const asksToSignIn = all.get("prompt")?.split(" ").includes("login") || all.get("max_age") === "0";
      if (progress) {
        setOrDelete(all, "prompt", progress.prompt);
        setOrDelete(all, "max_age", progress.maxAge);
      }
      const pushed = { tenantId: known.tenantId, digest, isSigned: false };
      return {
        parameters: parseParameters(AUTHORIZATION_PARAMETERS, all.toString(), carriedBy(clientId!, digest)),
        client,
        pushed,
        // The user may have signed in with a different browser.
        signedInSince: asksToSignIn ? found.createdOn : undefined,
        refused: found.isUsed ? usedBefore(pushed) : found.isExpired && !progress ? expired() : undefined,
      };
    },

    take: ({ tenantId, digest }) => takePush(sql, tenantId, digest),
  };
}

function tooMany(): TooManyRequests {
  const { client, address } = MAX_PUSHES;
  const reason = `${client} requests of this client, or ${address} from this address, are waiting for their answers.`;
  return new TooManyRequests(reason, 90);
}

/** Digests only the signed part, because signatures have several encodings. `until`: the latest answer time. */
function kept({ id }: Client, { object, expiresAt }: SignedObject) {
  const digest = createHash("sha256")
    .update(`${id} ${object.slice(0, object.lastIndexOf("."))}`)
    .digest();
  return { digest, until: new Date((expiresAt + PUSH_LIFETIME + TIME_TO_SIGN_IN) * 1000) };
}

/** The error for a reused request (RFC 9101 7). */
export function usedBefore({ isSigned }: Pick<PushReference, "isSigned">): AuthorizationError {
  return isSigned
    ? new AuthorizationError("invalid_request_object", "The request object was used before. Sign the request again.")
    : new AuthorizationError("invalid_request_uri", "The request_uri was used before. Push the request again.");
}

function expired(): AuthorizationError {
  const reason = `The request_uri has expired: it must be opened within ${PUSH_LIFETIME} seconds.`;
  return new AuthorizationError("invalid_request_uri", reason);
}

function unknown(): BadInput {
  return new BadInput(
    "invalid_request: the request_uri is not one of this client_id, or has expired. Go back to the application and start again.",
  );
}

function setOrDelete(all: URLSearchParams, name: string, value: string | null): void {
  if (value === null) all.delete(name);
  else all.set(name, value);
}
