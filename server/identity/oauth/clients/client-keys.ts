// Verifies signatures with a client's keys, stored in its record or published at its JwksUri.

import { compactVerify, createLocalJWKSet, errors } from "jose";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { EgressError, type EgressFetch } from "../../../platform/egress/index.ts";
import { answeredJson } from "../../../platform/http/json.ts";
import { CLIENT_JWT_ALGS } from "../contract.ts";
import { type Jwks, usableKeys } from "./jwks.ts";
import { type Client, isVouchedFor } from "./store.ts";

/** The maximum number of cached key sets. */
const SETS = 5_000;
/** A younger key set is not read again, unless none of its keys matches. */
const FRESH_MS = 300_000;
/** The minimum time between two requests for one key set, because unauthenticated JWTs trigger them. */
const RETRY_MS = 30_000;
/** A key set up to this age is used while it cannot be read. */
const STALE_MS = 3_600_000;
const TIMEOUT_MS = 5_000;

type Keys = ReturnType<typeof createLocalJWKSet>;
type Owner = Pick<Client, "id" | "tenantId" | "jwks" | "jwksUri" | "isOpen" | "administratorSet">;

/** @returns whether one of the client's keys made the signature; claims are not checked */
export type IsSignedByClient = (client: Owner, jwt: string) => Promise<boolean>;

interface Known {
  keys: Keys | undefined;
  /** Milliseconds of `now`. */
  readAt: number;
  triedAt: number;
}

/** @param forStrangers the egress for addresses that unvouched clients have named */
export function createClientKeys(
  { fetch, forStrangers }: { fetch: EgressFetch; forStrangers: { fetch: EgressFetch } },
  log: Pick<Logger, "warn">,
  now = () => performance.now(),
): IsSignedByClient {
  const local = new WeakMap<Jwks, Keys>();
  const published = new LRUCache<string, Known>({ max: SETS });
  const reading = new Map<string, Promise<Known>>();

  function keysOf(jwks: Jwks): Keys {
    const keys = local.get(jwks) ?? createLocalJWKSet(jwks as never);
    local.set(jwks, keys);
    return keys;
  }

  async function ask(owner: Owner): Promise<Keys> {
    const headers = { accept: "application/jwk-set+json, application/json" };
    const asking = isVouchedFor(owner, "JwksUri") ? fetch : forStrangers.fetch;
    const answer = await asking(owner.tenantId, owner.jwksUri, { method: "GET", headers, timeoutMs: TIMEOUT_MS });
    if (answer.status !== 200) throw new UnusableSet(`the answer has status ${answer.status}`);
    const set: unknown = await answeredJson(answer);
    const usable = usableKeys(set);
    if (usable.keys.length === 0) throw new UnusableSet("the answer contains no usable key");
    return createLocalJWKSet(usable as never);
  }

  async function read(key: string, owner: Owner, known: Known | undefined): Promise<Known> {
    const triedAt = now();
    let next: Known;
    try {
      next = { keys: await ask(owner), readAt: triedAt, triedAt };
    } catch (error) {
      if (!(error instanceof EgressError || error instanceof UnusableSet)) throw error;
      const { id: clientId, tenantId } = owner;
      log.warn({ tenantId, clientId, reason: error.message }, "the keys at a client's JwksUri cannot be read");
      const isStale = known === undefined || triedAt - known.readAt >= STALE_MS;
      next = isStale ? { keys: undefined, readAt: triedAt, triedAt } : { ...known, triedAt };
    }
    published.set(key, next);
    return next;
  }

  /** Concurrent calls share one request. */
  function readOnce(key: string, owner: Owner, known: Known | undefined): Promise<Known> {
    const running = reading.get(key) ?? read(key, owner, known).finally(() => reading.delete(key));
    reading.set(key, running);
    return running;
  }

  return async (client, jwt) => {
    if (client.jwks) return isSignedBy(keysOf(client.jwks), jwt);
    if (client.jwksUri === "") return false;
    const key = `${client.id} ${client.jwksUri}`;
    const known = published.get(key);
    const mayAsk = known === undefined || now() - known.triedAt >= RETRY_MS;
    const isFresh = known !== undefined && now() - known.readAt < FRESH_MS;
    const first = known && (isFresh || !mayAsk) ? known : await readOnce(key, client, known);
    if (first.keys && (await isSignedBy(first.keys, jwt))) return true;
    // The client may have published a new key.
    if (first !== known || !mayAsk) return false;
    const { keys } = await readOnce(key, client, known);
    return keys !== undefined && (await isSignedBy(keys, jwt));
  };
}

class UnusableSet extends Error {
  override name = "UnusableSet";
}

type Key = Parameters<typeof compactVerify>[1];

async function isSignedBy(keys: Keys | Exclude<Key, Keys>, jwt: string): Promise<boolean> {
  try {
    await compactVerify(jwt, keys as Keys, { algorithms: CLIENT_JWT_ALGS });
    return true;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      for await (const key of error) if (await isSignedBy(key, jwt)) return true;
      return false;
    }
    // WebCrypto reports an unusable key by DOMException.
    if (error instanceof errors.JOSEError || error instanceof DOMException) return false;
    throw error;
  }
}
