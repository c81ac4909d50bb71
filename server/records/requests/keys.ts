// Idempotency-Key: a repeated POST or PATCH gets the first answer, and changes nothing
// (draft-ietf-httpapi-idempotency-key-header).

import { createHmac } from "node:crypto";
import { KEY_IN_PROGRESS } from "../../platform/db/failures.ts";
import { type KeyedRequest, runKeyed } from "../../platform/db/keyed.store.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { BadInput, Conflict, KeyReused } from "../../platform/errors.ts";
import type { KeyedCall } from "../../platform/http/route.ts";
import type { Vault } from "../../platform/vault.ts";
import type { Caller } from "../access/bearer.ts";
import type { Permissions } from "../access/decisions/permissions.ts";
import { extendLease, reserve, type StoredRequest, storeAnswer, withdraw } from "./keys.store.ts";

export const KEY_LIMIT = 255;
/** A process that has not extended its request's lease has ended. */
const LEASE_MS = 10_000;
const EXTEND_MS = 3_000;
/** Characters. A longer answer is not kept, as an export. */
export const ANSWER_LIMIT = 1_000_000;
/** Characters of an answer to a request without a change. After a longer one, the request may be carried out again. */
export const UNCHANGED_LIMIT = 10_000;
const PURPOSE = "repeated answer";

const REPLAYED = { "idempotent-replayed": "true" };

type Asked = Parameters<Permissions["require"]>;

interface KeptAnswer {
  status: number;
  headers: [string, string][];
  body: string;
  /** The decisions of policies that let the request through. */
  asked: Asked[];
}

export function createOnce(sql: Sql, vault: Vault) {
  const seal = vault.sealFor(PURPOSE);
  const keys = vault.keysFor(PURPOSE);
  /** Keyed, because a body may have a secret that is easy to guess. The first is stored. */
  const fingerprintsOf = (text: string) => keys.map((key) => createHmac("sha256", key).update(text).digest());

  function kept(stored: StoredRequest): KeptAnswer | undefined {
    try {
      return stored.answer ? JSON.parse(seal.open(stored.answer)) : undefined;
    } catch {
      // MASTER_KEY was replaced.
      return undefined;
    }
  }

  /** The first answer, if policies permit it now. @throws KeyReused, Conflict, Permission */
  function repeated(caller: Caller, call: KeyedCall, stored: StoredRequest, fingerprints: Buffer[]): Response {
    if (!fingerprints.some((one) => one.equals(stored.fingerprint))) throw new KeyReused();
    const answer = kept(stored);
    if (!answer && stored.isInProgress) throw inProgress();
    if (!answer) return lost(stored);
    for (const asked of answer.asked) caller.permissions.require(...asked);
    const record = JSON.parse(answer.body);
    // The record that the answer shows must still be readable.
    const [, type] = answer.asked[0] ?? [];
    const isSeen =
      type === undefined || type !== call.kind || [record].flat().every((one) => caller.gate.sees(type, one));
    const body = isSeen ? answer.body : JSON.stringify(Array.isArray(record) ? record.map(onlyId) : onlyId(record));
    return new Response(body, { status: answer.status, headers: [...answer.headers, ...Object.entries(REPLAYED)] });
  }

  return async (caller: Caller, call: KeyedCall, run: (by: Caller) => Promise<Response>): Promise<Response> => {
    const { tenantId, clientId, actor } = caller;
    const request = {
      tenantId,
      caller: `${clientId} ${actor.type} ${actor.id}`,
      digest: digestOf(readKey(call.key)),
      reservation: crypto.randomUUID(),
    };
    const fingerprints = fingerprintsOf(JSON.stringify(call.parts));
    const stored = await reserve(sql, request, fingerprints[0]!, LEASE_MS);
    if (stored) return repeated(caller, call, stored, fingerprints);
    const extending = setInterval(() => extendLease(sql, request, LEASE_MS).catch(() => {}), EXTEND_MS);
    try {
      const asked: Asked[] = [];
      const [answer, isChanged] = await runKeyed(request, () => run(recording(caller, asked)));
      return await keep(request, answer, asked, isChanged);
    } catch (error) {
      await withdraw(sql, request).catch(() => {});
      throw error;
    } finally {
      clearInterval(extending);
    }
  };

  async function keep(request: KeyedRequest, answer: Response, asked: Asked[], isChanged: boolean): Promise<Response> {
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
    if (!isJson) return answer;
    const body = await answer.text();
    const { status, headers } = answer;
    const whole: KeptAnswer = { status, headers: [...headers], body, asked };
    const keeping =
      body.length > UNCHANGED_LIMIT && !isChanged
        ? withdraw(sql, request)
        : storeAnswer(sql, request, body.length > ANSWER_LIMIT ? null : seal.seal(JSON.stringify(whole)));
    // A failure here loses only the answer: the change is committed.
    await keeping.catch(() => {});
    return new Response(body, { status, headers });
  }
}

const onlyId = ({ Id }: { Id?: unknown }) => ({ Id });

/** Notes the decisions that a request needs. */
function recording(caller: Caller, asked: Asked[]): Caller {
  const { permissions } = caller;
  const require = (...question: Asked) => {
    asked.push(question);
    permissions.require(...question);
  };
  return { ...caller, permissions: { ...permissions, require } };
}

/** The change is committed, but its process ended before the answer. @throws Conflict */
function lost({ recordIds }: StoredRequest): Response {
  const [id, ...others] = recordIds ?? [];
  if (id !== undefined && others.length === 0) return Response.json({ Id: id }, { headers: REPLAYED });
  throw new Conflict("This request was carried out, but its answer was lost. Read the record to see the result.");
}

function inProgress(): Conflict {
  const conflict = new Conflict(KEY_IN_PROGRESS);
  conflict.headers["retry-after"] = "1";
  return conflict;
}

/** A text of visible ASCII; the draft writes it in quotes. @throws BadInput */
function readKey(text: string): string {
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (key.length <= KEY_LIMIT && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new BadInput(`Idempotency-Key must be 1 to ${KEY_LIMIT} visible ASCII characters.`);
}

const digestOf = (text: string) => Buffer.from(new Bun.CryptoHasher("sha256").update(text).digest());
