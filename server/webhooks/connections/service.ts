// WebhookConnection: made, changed, deleted and pinged.

import { randomBytes } from "node:crypto";
import type { ConnectionId } from "../../../workflows/contract.ts";
import { type Caller, type Permitted, requireSeen, type Tagged } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/connection.ts";
import { movedAddresses, requireSecretsAnew } from "../../egress/index.ts";
import { BadInput, Conflict, NotFound } from "../../errors.ts";
import { type Conditions, requireConditions } from "../../http/conditions.ts";
import { changesOf, valuesShown } from "../../http/contract.ts";
import { newId } from "../../ids.ts";
import { type MasterKey, seal, unseal } from "../../master-key.ts";
import type { TenantId } from "../../tenant-id.ts";
import { countPostsOut } from "../deliveries/opening.store.ts";
import { recordPing } from "../events/record-event.ts";
import { countAllEnded } from "../redelivery/follow.store.ts";
import { cancelRedeliveries, startDrain, wakeStarters } from "../redelivery/store.ts";
import { clearSome } from "./clearing.ts";
import { CONNECTION, type ConnectionInput, type ConnectionRecord } from "./contract.ts";
import { endHold, probeAtOnce } from "./holding.store.ts";
import { noConnection, toConnectionRecord, versionOf } from "./read.ts";
import { endRotation } from "./rotation.store.ts";
import { API_KEY_PURPOSE, mergeHeaders, ownApiKeys, SECRET_PURPOSE, sealHeaders, unsealHeaders } from "./secrets.ts";
import { type Connection, deleteConnection, insertConnection, lockConnection, updateConnection } from "./store.ts";

/** Secret and Headers are known by their seals alone, which every new value changes. */
const AUDITED = CONNECTION.namesOf(({ audit }) => audit);
const SHOWN = CONNECTION.namesOf(({ audit }) => audit === "value");
const NOT_HELD = { heldOn: null, heldReason: null };
/** What a new one has unless something else is given. */
const BLANK = {
  ...{ name: null, description: null, secret: null, headers: null, timeoutMs: null },
  ...{ order: "None" as const, ratePerSecond: null, maxInFlight: null },
  ...{ state: "Active" as const, ...NOT_HELD },
};

/**
 * Updates the connection that Id or Name points at, or makes a new one.
 * @param sent the body that the input was read from
 * @returns the connection as far as the caller may see it
 * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
 */
export async function upsertConnection(
  sql: Sql,
  masterKey: MasterKey,
  caller: Permitted<"Webhooks:Create" | "Webhooks:Update">,
  input: ConnectionInput,
  conditions: Conditions,
  sent: unknown,
): Promise<Tagged<ConnectionRecord>> {
  try {
    const connection = (await sql.beginFor(caller.tenantId, (tx) =>
      upsert(tx, masterKey, caller, input, conditions),
    )) as Connection;
    return await written(caller, masterKey, connection, sent);
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name === "webhook_connections_name_key") {
      throw new Conflict("Name is held by another WebhookConnection.");
    }
    throw error;
  }
}

function written({ gate }: Caller, masterKey: MasterKey, connection: Connection, sent: unknown) {
  const version = versionOf(masterKey, connection);
  return gate.written("WebhookConnection", toConnectionRecord(masterKey, connection), sent, { version });
}

async function upsert(
  tx: Transaction,
  masterKey: MasterKey,
  caller: Caller,
  input: ConnectionInput,
  conditions: Conditions,
): Promise<Connection> {
  const { tenantId, permissions, gate } = caller;
  const record = (connection: Connection) => toConnectionRecord(masterKey, connection);
  const existing = await lookUp(tx, tenantId, input);
  // These two compare nothing: whether there is a connection.
  if (!existing || conditions.ifNoneMatch === "*") {
    requireConditions(conditions, existing && versionOf(masterKey, existing));
  }
  const sealed = {
    secret: typeof input.Secret === "string" ? seal(masterKey, SECRET_PURPOSE, input.Secret) : input.Secret,
    apiKey: changedApiKey(masterKey, existing?.apiKey, input),
    headers: changedHeaders(masterKey, existing?.headers ?? null, input),
  };
  if (existing) {
    const connection = merge(existing, { ...CONNECTION.toColumns(input), ...sealed, id: undefined });
    const isElsewhere = movedAddresses("WebhookConnection", record(existing), record(connection)).length > 0;
    // The one that the URL has is in force, and what is stored beside it was for the former address.
    const [ownKey] = ownApiKeys(connection.url);
    if (isElsewhere && ownKey !== undefined) connection.apiKey = seal(masterKey, API_KEY_PURPOSE, ownKey);
    const isReleased = existing.state === "Held" && connection.state !== "Held";
    if (isReleased) Object.assign(connection, NOT_HELD);
    permissions.require("Webhooks:Update", "WebhookConnection", record(existing), record(connection));
    // Only now, so that who may not change it learns of no value whether it is right; who may not read it, of none.
    await requireSeen(tx, caller, "WebhookConnection", conditions, versionOf(masterKey, existing), record(existing));
    requireSecretsAnew(
      gate,
      "WebhookConnection",
      record(existing),
      record(connection),
      keptSecrets(masterKey, existing, input),
    );
    requireFit(gate.sees("WebhookConnection", record(existing)) ? record(existing) : undefined, existing, input);
    await updateConnection(tx, tenantId, connection);
    if (connection.maxInFlight !== null && existing.maxInFlight === null) {
      await countPostsOut(tx, tenantId, connection.id);
    }
    // At once, for the secret before may have leaked.
    if (input.Secret !== undefined || isElsewhere) await endRotation(tx, tenantId, connection.id);
    if (isReleased) await endHold(tx, tenantId, connection.id);
    else if (existing.state === "Held" && isCalledOtherwise(existing, connection)) {
      await probeAtOnce(tx, tenantId, connection.id);
      await wakeStarters(tx, tenantId, connection.id);
    }
    if (connection.state === "Active" && existing.state !== "Active") {
      await countAllEnded(tx, tenantId, connection.id);
      await startDrain(tx, tenantId, connection.id, true);
    }
    const changes = changesOf(
      { ...record(existing), Secret: existing.secret, Headers: existing.headers },
      { ...record(connection), Secret: connection.secret, Headers: connection.headers },
      AUDITED,
      SHOWN,
    );
    if (changes) {
      const subject = { type: "WebhookConnection", id: connection.id };
      await recordAudit(tx, tenantId, caller, { kind: "WebhookConnection.Changed", subject, details: changes });
    }
    return connection;
  }
  const { URL: url, Entities: entities, Events: events } = CONNECTION.whole(input, "URL", "Entities", "Events");
  const apiKey = seal(masterKey, API_KEY_PURPOSE, randomBytes(24).toString("base64url"));
  const blank: Connection = { ...BLANK, id: newId<ConnectionId>(), url, entities, events, apiKey };
  const connection = merge(blank, { ...CONNECTION.toColumns(input), ...sealed, id: undefined });
  permissions.require("Webhooks:Create", "WebhookConnection", record(connection));
  requireFit(record(connection), undefined, input);
  const inserted = await insertConnection(tx, tenantId, connection);
  // A racing caller made one with the same name in between: this call is then its update.
  if (!inserted) return upsert(tx, masterKey, caller, input, conditions);
  await recordAudit(tx, tenantId, caller, {
    kind: "WebhookConnection.Created",
    subject: { type: "WebhookConnection", id: inserted.id },
    details: valuesShown(record(inserted), SHOWN),
  });
  return inserted;
}

/**
 * Deletes the connection and, with it, ends what it had still to get; a worker ends what is too much for that.
 * @returns its last state, as far as the caller may see it
 * @throws NotFound, Permission, PreconditionFailed
 */
export async function removeConnection(
  sql: Sql,
  masterKey: MasterKey,
  caller: Permitted<"Webhooks:Delete">,
  id: ConnectionId,
  conditions: Conditions,
): Promise<Tagged<ConnectionRecord>> {
  const { tenantId, permissions } = caller;
  const gone = await sql.beginFor(tenantId, async (tx) => {
    const connection = await lockConnection(tx, tenantId, { id });
    if (!connection) throw noConnection();
    permissions.require("Webhooks:Delete", "WebhookConnection", toConnectionRecord(masterKey, connection));
    const asSeen = toConnectionRecord(masterKey, connection);
    await requireSeen(tx, caller, "WebhookConnection", conditions, versionOf(masterKey, connection), asSeen);
    await deleteConnection(tx, tenantId, id);
    await cancelRedeliveries(tx, tenantId, id);
    if (connection.state === "Held") await endHold(tx, tenantId, id);
    const subject = { type: "WebhookConnection", id: connection.id };
    await recordAudit(tx, tenantId, caller, { kind: "WebhookConnection.Deleted", subject });
    return connection;
  });
  await clearSome(sql, tenantId, id);
  return written(caller, masterKey, gone, {});
}

async function lookUp(tx: Transaction, tenantId: TenantId, input: ConnectionInput): Promise<Connection | undefined> {
  if (input.Id !== undefined) {
    const existing = await lockConnection(tx, tenantId, { id: input.Id });
    if (!existing) throw new NotFound(`There is no WebhookConnection with the Id ${input.Id}.`);
    return existing;
  }
  return input.Name ? lockConnection(tx, tenantId, { name: input.Name }) : undefined;
}

/** The secrets that a change leaves as they are. */
function keptSecrets(masterKey: MasterKey, existing: Connection, input: ConnectionInput) {
  const stored = unsealHeaders(masterKey, existing.headers);
  const keptHeaders = input.Headers ? Object.values(input.Headers).includes(null) : Object.keys(stored).length > 0;
  return {
    Secret: existing.secret !== null && input.Secret === undefined,
    ApiKey: input.ApiKey === undefined && ownApiKeys(input.URL ?? existing.url).length === 0,
    Headers: keptHeaders,
  };
}

/** Whether the receiver may take what it has refused before. */
function isCalledOtherwise(before: Connection, after: Connection): boolean {
  const fields = ["url", "secret", "apiKey", "headers", "timeoutMs"] as const;
  return fields.some((field) => before[field] !== after[field]);
}

/**
 * What is sent must go together with what stands.
 * @param seen the record that it is an echo of, as the caller may read it
 * @param existing undefined: it is new
 * @throws BadInput
 */
function requireFit(
  seen: ConnectionRecord | undefined,
  existing: Connection | undefined,
  input: ConnectionInput,
): void {
  // Sent back as it was read, it changes nothing.
  if (input.State === "Held" && !(existing && seen?.State === "Held")) {
    throw new BadInput("State must be Active or Paused; Held is what deliveries that fail make of it.");
  }
  CONNECTION.refuseReadOnly(input, seen);
  const { ApiKey: apiKey, URL: url = existing?.url } = input;
  if (url === undefined || apiKey === undefined) return;
  const isHidden = input.URL === undefined && !seen;
  // The one that the URL has is sent; another one would never be.
  if (ownApiKeys(url).every((own) => own === apiKey && !isHidden)) return;
  throw new BadInput(
    "The URL has an ApiKey of its own, and ApiKey is another. Change it in the URL, or leave one out.",
  );
}

/** @returns undefined if it is as it was, so that the seal stays too */
function changedApiKey(
  masterKey: MasterKey,
  sealed: Uint8Array | undefined,
  { ApiKey: apiKey }: ConnectionInput,
): Uint8Array | undefined {
  if (apiKey === undefined || (sealed && unseal(masterKey, API_KEY_PURPOSE, sealed) === apiKey)) return undefined;
  return seal(masterKey, API_KEY_PURPOSE, apiKey);
}

/** @returns undefined if they are as they were, so that the seal stays too */
function changedHeaders(
  masterKey: MasterKey,
  sealed: Uint8Array | null,
  { Headers: headers }: ConnectionInput,
): Uint8Array | null | undefined {
  if (headers === undefined) return undefined;
  const stored = unsealHeaders(masterKey, sealed);
  const merged = mergeHeaders(stored, headers);
  return Bun.deepEquals(stored, merged) ? undefined : sealHeaders(masterKey, merged);
}

function merge(existing: Connection, changes: Partial<Connection>): Connection {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...existing, ...given };
}

/**
 * Sends the connection a ping, also if it is Held or Paused: the receiver is tried, nothing is resumed.
 * @returns the EventId, by which the activity log tells what came of it
 * @throws NotFound, Permission
 */
export async function pingConnection(
  sql: Sql,
  masterKey: MasterKey,
  caller: Permitted<"Webhooks:Update">,
  id: ConnectionId,
): Promise<string> {
  const { tenantId, permissions, traceParent } = caller;
  return sql.beginFor(tenantId, async (tx) => {
    const connection = await lockConnection(tx, tenantId, { id });
    if (!connection) throw noConnection();
    const record = toConnectionRecord(masterKey, connection);
    permissions.require("Webhooks:Update", "WebhookConnection", record);
    const { Id, Name, Entities, Events } = record;
    const eventId = await recordPing(tx, tenantId, { Id, Name, Entities, Events }, traceParent);
    const subject = { type: "WebhookConnection", id };
    await recordAudit(tx, tenantId, caller, {
      kind: "WebhookConnection.Pinged",
      subject,
      details: { EventId: eventId },
    });
    return eventId;
  });
}
