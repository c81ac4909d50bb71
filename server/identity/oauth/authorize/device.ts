// The device flow (RFC 8628): an authorization request like any other, but the device fetches the response.

import { randomInt } from "node:crypto";
import type { Sql } from "../../../platform/db/sql.ts";
import { BadInput, TooManyRequests } from "../../../platform/errors.ts";
import type { DeviceStep } from "../../../platform/metrics/index.ts";
import type { Vault } from "../../../platform/vault.ts";
import { texts } from "../../../ui/index.ts";
import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import type { FindApis } from "../apis/known-apis.ts";
import type { FindKnownClient } from "../clients/known-clients.ts";
import type { Client } from "../clients/store.ts";
import { DEVICE_GRANT } from "../contract.ts";
import { apisInReach, ENTITY_API } from "../resources.ts";
import { common } from "../scopes.ts";
import { type AuthorizationRequest, ownRequest } from "./authorization-request.ts";
import { findWaiting, findWaitingDigest, insertDeviceCode, type WaitingLimits } from "./device.store.ts";
import { type AuthorizationTarget, DEVICE_DONE_PATH } from "./parameters.ts";

/** Seconds for the user to decide and the device to fetch the result. */
export const DEVICE_LIFETIME = 10 * 60;
/** The initial seconds between two polls. */
export const POLL_INTERVAL = 5;
/** The limit per address applies to clients without a secret, because anyone can use those. */
export const MAX_WAITING: WaitingLimits = { address: 200, client: 2_000, tenant: 10_000 };

/** RFC 8628 6.1: no vowels, so no words, and no digits that resemble letters. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;
/** The maximum number of characters of a typed code, with spaces and dashes. */
const TYPED_LIMIT = 100;
/** The maximum number of attempts to find a free code; two consecutive collisions are practically impossible. */
const TRIES = 3;
const PURPOSE = "device request";

export interface Devices {
  /** @param network the origin of the request, if the client has no secret @throws TooManyRequests */
  begin(
    client: Client,
    asked: { scopes: string[]; resources: string[] },
    network: string | undefined,
  ): Promise<{ deviceCode: string; userCode: string }>;
  /** @param typed untrusted input @returns a reference for our own addresses; undefined if no request is waiting */
  find(typed: string): Promise<string | undefined>;
  /** @throws BadInput if it is no longer waiting */
  check(target: AuthorizationTarget): Promise<AuthorizationRequest>;
  answered(decision: "Allowed" | "Denied"): void;
}

interface DevicesDependencies {
  sql: Sql;
  vault: Vault;
  issuer: string;
  findClient: FindKnownClient;
  findApis: FindApis;
  onDevice(step: DeviceStep): void;
}

export function createDevices({ sql, vault, issuer, findClient, findApis, onDevice }: DevicesDependencies): Devices {
  // References are sealed digests, so the code itself is only looked up where guesses are counted.
  const references = vault.vaultFor(PURPOSE).sealFor(PURPOSE);

  function digestIn(reference: string): Buffer | undefined {
    try {
      return Buffer.from(references.open(Buffer.from(reference, "base64url")), "base64");
    } catch {
      return undefined;
    }
  }

  return {
    async begin({ id, tenantId }, asked, network) {
      const deviceCode = newOpaqueValue();
      for (let tries = 0; tries < TRIES; tries++) {
        const userCode = newUserCode();
        const code = {
          ...asked,
          network,
          clientId: id,
          digest: digestOf(deviceCode),
          userCode,
          interval: POLL_INTERVAL,
        };
        const outcome = await insertDeviceCode(sql, tenantId, code, DEVICE_LIFETIME, MAX_WAITING);
        if (outcome === "taken") continue;
        onDevice(outcome === "made" ? "Begun" : "Refused");
        if (outcome === "too many") throw tooMany();
        return { deviceCode, userCode: shownCode(userCode) };
      }
      throw new Error(`${TRIES} user codes in a row were in use.`);
    },

    answered: onDevice,

    async find(typed) {
      const userCode = typed.length > TYPED_LIMIT ? "" : lettersOf(typed);
      const digest = isUserCode(userCode) ? await findWaitingDigest(sql, userCode) : undefined;
      if (!digest) onDevice("WrongCode");
      return digest && references.seal(digest.toString("base64")).toString("base64url");
    },

    async check({ parameters }) {
      const digest = digestIn(new URLSearchParams(parameters.text).get("device") ?? "");
      const found = digest && (await findWaiting(sql, digest));
      const client = found && (await findClient(String(found.clientId)));
      if (!found || !client?.isActive || !client.grantTypes.includes(DEVICE_GRANT)) throw over();
      const apis = apisInReach(await findApis(client.tenantId), client);
      // APIs that the client may no longer use are neither shown nor granted.
      const resources = common(found.resources, [ENTITY_API, ...apis.map(({ id }) => id)]);
      if (resources.length === 0) throw over();
      const device = { digest: found.digest, userCode: shownCode(found.userCode) };
      const own = { client, device, scopes: found.scopes, resources, apis };
      const asked = ownRequest(parameters, issuer + DEVICE_DONE_PATH, own);
      // RFC 8628 5.4: an attacker may have sent the code, so consent is always shown.
      return { ...asked, prompts: new Set([...asked.prompts, "consent"]) };
    },
  };
}

export function over(): BadInput {
  return new BadInput(texts.ERRORS.deviceOver);
}

function tooMany(): TooManyRequests {
  const { address, client, tenant } = MAX_WAITING;
  const reason =
    `${client} devices of this client, ${address} from this address, or ${tenant} of its organisation ` +
    "are waiting for their users.";
  return new TooManyRequests(reason, 60);
}

function newUserCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

function lettersOf(typed: string): string {
  return typed
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^A-Z]/g, "");
}

function isUserCode(text: string): boolean {
  return text.length === CODE_LENGTH && [...text].every((letter) => LETTERS.includes(letter));
}

/** @example shownCode("WDJBMJHT") // "WDJB-MJHT" */
function shownCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}
