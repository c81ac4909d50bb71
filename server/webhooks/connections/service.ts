import { randomBytes } from "node:crypto";
import {
  type Caller,
  type FindRecords,
  type Permitted,
  requireSeen,
  type Shown,
  type ShownPage,
  type Tagged,
  type Whole,
} from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/sql.ts";
import { movedAddresses, requireSecretsAnew } from "../../egress/index.ts";
import { BadInput, Conflict, NotFound } from "../../errors.ts";
import { type Conditions, requireConditions } from "../../http/conditions.ts";
import { changesOf, valuesShown } from "../../http/contract.ts";
import { isUuid, type Paging } from "../../http/query.ts";
import { type ConnectionId, type EventId, newId, type TenantId } from "../../ids.ts";
import {
  type Connection,
  type ConnectionFilter,
  deleteConnection,
  findConnection,
  findConnections,
  insertConnection,
  type LoggedConnection,
  listConnections,
  lockConnection,
  updateConnection,
} from "../connections.store.ts";
import { countPostsOut } from "../deliveries/opening.store.ts";
import { recordPing } from "../events/write-event.ts";
import { endHold, probeAtOnce } from "../holding.store.ts";
import { countAllEnded } from "../redelivery/follow.store.ts";
import { cancelRedeliveries, startDrain, wakeStarters } from "../redelivery/store.ts";
import { type ConnectionSeals, mergeHeaders, ownApiKeys } from "../secrets.ts";
import { clearSome } from "./clearing.ts";
import { CONNECTION, type ConnectionInput, type ConnectionRecord } from "./contract.ts";
import { type ConnectionRecords, noConnection } from "./record.ts";
import { endRotation } from "./rotation.store.ts";

const TYPE = "WebhookConnection";
/** Secret and Headers are compared by their seals, which differ for every new value. */
const AUDITED = CONNECTION.namesOf(({ audit }) => audit);
const SHOWN = CONNECTION.namesOf(({ audit }) => audit === "value");
const NOT_HELD = { heldOn: null, heldReason: null };
/** Defaults of a new connection. */
const BLANK = {
  name: null,
  description: null,
  secret: null,
  headers: null,
  timeoutMs: null,
  order: "None" as const,
  ratePerSecond: null,
  maxInFlight: null,
  holdAfter: null,
  state: "Active" as const,
  ...NOT_HELD,
};

export interface Connections {
  /** A page of connections that the caller may read, newest first. @throws ServiceBusy */
  list(caller: Caller, filter: ConnectionFilter, paging: Paging): Promise<ShownPage<ConnectionRecord>>;
  /** @throws NotFound, Permission */
  read(caller: Caller, id: ConnectionId): Promise<SeenConnection>;
  readAll(caller: Caller, ids: ConnectionId[]): Promise<Shown<LoggedConnection>[]>;
  /**
   * Updates the connection with this Id or Name, or creates one.
   * @param sent the original body
   * @returns the connection as far as the caller may see it
   * @throws BadInput, NotFound, Permission, Conflict, PreconditionFailed
   */
  save(
    caller: Permitted<"Webhooks:Create" | "Webhooks:Update">,
    input: ConnectionInput,
    conditions: Conditions,
    sent: unknown,
  ): Promise<Tagged<ConnectionRecord>>;
  /**
   * Deletes the connection and cancels its open deliveries; a worker cancels what is left.
   * @returns its last state, as far as the caller may see it
   * @throws NotFound, Permission, PreconditionFailed
   */
  remove(
    caller: Permitted<"Webhooks:Delete">,
    id: ConnectionId,
    conditions: Conditions,
  ): Promise<Tagged<ConnectionRecord>>;
  /**
   * Sends the connection a ping, even if it is Held or Paused; the ping does not resume it.
   * @returns the ping's EventId in the activity log
   * @throws NotFound, Permission
   */
  ping(caller: Permitted<"Webhooks:Update">, id: ConnectionId): Promise<EventId>;
  /** Finds connections by Id, including deleted ones, for references from other records. */
  find: FindRecords;
  recordOf(connection: Connection): ConnectionRecord;
}

export interface SeenConnection extends Whole<ConnectionRecord> {
  /** Whether it has a secret. */
  isSigned: boolean;
}

export function createConnections(
  sql: Sql,
  seals: ConnectionSeals,
  { recordOf, hiddenFrom, versionOf }: ConnectionRecords,
): Connections {
  function written(caller: Caller, connection: Connection, sent: unknown) {
    const resource = recordOf(connection);
    return caller.gate.written(TYPE, hiddenFrom(caller, resource), sent, { resource, version: versionOf(connection) });
  }

  async function upsert(
    tx: Transaction,
    caller: Caller,
    input: ConnectionInput,
    conditions: Conditions,
  ): Promise<Connection> {
    const existing = await lookUp(tx, caller.tenantId, input);
    // If-None-Match: * and a missing record need no version.
    if (!existing || conditions.ifNoneMatch === "*") requireConditions(conditions, existing && versionOf(existing));
    if (existing) return update(tx, caller, existing, input, conditions);
    // A concurrent call has inserted the same name, so this call becomes its update.
    return (await insert(tx, caller, input)) ?? upsert(tx, caller, input, conditions);
  }

  async function update(
    tx: Transaction,
    caller: Caller,
    existing: Connection,
    input: ConnectionInput,
    conditions: Conditions,
  ): Promise<Connection> {
    const { tenantId, permissions, gate } = caller;
    const connection = merge(existing, { ...CONNECTION.toColumns(input), ...sealed(input, existing), id: undefined });
    const before = recordOf(existing);
    const isElsewhere = movedAddresses(TYPE, before, recordOf(connection)).length > 0;
    // The ApiKey in the new URL applies; the stored one was for the former address.
    const [ownKey] = ownApiKeys(connection.url);
    if (isElsewhere && ownKey !== undefined) connection.apiKey = seals.apiKey.seal(ownKey);
    const isReleased = existing.state === "Held" && connection.state !== "Held";
    if (isReleased) Object.assign(connection, NOT_HELD);
    const after = recordOf(connection);
    permissions.require("Webhooks:Update", TYPE, before, after);
    // After authorization, so callers cannot probe values; the gate hides values from callers without read permission.
    await requireSeen(tx, caller, TYPE, conditions, versionOf(existing), before);
    requireSecretsAnew(gate, TYPE, before, after, keptSecrets(existing, input));
    requireFit(gate.sees(TYPE, before) ? before : undefined, existing, input);
    await updateConnection(tx, tenantId, connection);
    if (connection.maxInFlight !== null && existing.maxInFlight === null) {
      await countPostsOut(tx, tenantId, connection.id);
    }
    // Immediate, because the previous secret may have leaked.
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
      { ...before, Secret: existing.secret, Headers: existing.headers },
      { ...after, Secret: connection.secret, Headers: connection.headers },
      AUDITED,
      SHOWN,
    );
    if (changes) {
      const subject = { type: TYPE, id: connection.id };
      await recordAudit(tx, tenantId, caller, { kind: "WebhookConnection.Changed", subject, details: changes });
    }
    return connection;
  }

  /** @returns undefined if the name is taken */
  async function insert(tx: Transaction, caller: Caller, input: ConnectionInput): Promise<Connection | undefined> {
    const { tenantId, permissions } = caller;
    const { URL: url, Entities: entities, Events: events } = CONNECTION.whole(input, "URL", "Entities", "Events");
    const apiKey = seals.apiKey.seal(randomBytes(24).toString("base64url"));
    const blank: Connection = { ...BLANK, id: newId<ConnectionId>(), url, entities, events, apiKey };
    const connection = merge(blank, { ...CONNECTION.toColumns(input), ...sealed(input), id: undefined });
    permissions.require("Webhooks:Create", TYPE, recordOf(connection));
    requireFit(recordOf(connection), undefined, input);
    const inserted = await insertConnection(tx, tenantId, connection);
    if (!inserted) return undefined;
    await recordAudit(tx, tenantId, caller, {
      kind: "WebhookConnection.Created",
      subject: { type: TYPE, id: inserted.id },
      details: valuesShown(recordOf(inserted), SHOWN),
    });
    return inserted;
  }

  /** Seals given values; undefined keeps the stored seal. */
  function sealed(input: ConnectionInput, existing?: Connection) {
    const { Secret: secret, ApiKey: apiKey } = input;
    const isSameKey = existing && apiKey !== undefined && seals.apiKey.open(existing.apiKey) === apiKey;
    return {
      secret: typeof secret === "string" ? seals.secret.seal(secret) : secret,
      apiKey: apiKey === undefined || isSameKey ? undefined : seals.apiKey.seal(apiKey),
      headers: changedHeaders(existing?.headers ?? null, input),
    };
  }

  function changedHeaders(before: Uint8Array | null, { Headers: given }: ConnectionInput) {
    if (given === undefined) return undefined;
    const stored = seals.headers.open(before);
    const merged = mergeHeaders(stored, given);
    return Bun.deepEquals(stored, merged) ? undefined : seals.headers.seal(merged);
  }

  /** The secrets that an input does not change. */
  function keptSecrets(existing: Connection, input: ConnectionInput) {
    const stored = seals.headers.open(existing.headers);
    const keptHeaders = input.Headers ? Object.values(input.Headers).includes(null) : Object.keys(stored).length > 0;
    return {
      Secret: existing.secret !== null && input.Secret === undefined,
      ApiKey: input.ApiKey === undefined && ownApiKeys(input.URL ?? existing.url).length === 0,
      Headers: keptHeaders,
    };
  }

  return {
    recordOf,
    async find(queries, tenantId, _, ids) {
      return (await findConnections(queries, tenantId, ids.filter(isUuid<ConnectionId>))).map(recordOf);
    },
    list(caller, filter, paging) {
      const { tenantId, gate } = caller;
      return gate.list({
        type: TYPE,
        paging,
        read: (limit, after) => listConnections(sql, tenantId, filter, limit, after),
        id: (row) => row.id,
        item: (row) => hiddenFrom(caller, recordOf(row)),
        resource: recordOf,
      });
    },
    async read(caller, id) {
      const connection = await findConnection(sql, caller.tenantId, id);
      if (!connection) throw noConnection();
      const [resource, version] = [recordOf(connection), versionOf(connection)];
      const tagged = await caller.gate.show(TYPE, hiddenFrom(caller, resource), { resource, version });
      return { ...tagged, isSigned: connection.secret !== null };
    },
    async readAll({ tenantId, gate }, ids) {
      return gate.only(TYPE, await findConnections(sql, tenantId, ids), { resource: recordOf });
    },
    async save(caller, input, conditions, sent) {
      try {
        const connection = (await sql.beginFor(caller.tenantId, (tx) =>
          upsert(tx, caller, input, conditions),
        )) as Connection;
        return await written(caller, connection, sent);
      } catch (error) {
        if ((error as { constraint_name?: string }).constraint_name === "webhook_connections_name_key") {
          throw new Conflict("Name is held by another WebhookConnection.");
        }
        throw error;
      }
    },
    async remove(caller, id, conditions) {
      const { tenantId, permissions } = caller;
      const gone = await sql.beginFor(tenantId, async (tx) => {
        const connection = await lockConnection(tx, tenantId, { id });
        if (!connection) throw noConnection();
        const record = recordOf(connection);
        permissions.require("Webhooks:Delete", TYPE, record);
        await requireSeen(tx, caller, TYPE, conditions, versionOf(connection), record);
        await deleteConnection(tx, tenantId, id);
        await cancelRedeliveries(tx, tenantId, id);
        if (connection.state === "Held") await endHold(tx, tenantId, id);
        await recordAudit(tx, tenantId, caller, { kind: "WebhookConnection.Deleted", subject: { type: TYPE, id } });
        return connection;
      });
      await clearSome(sql, tenantId, id);
      return written(caller, gone, {});
    },
    async ping(caller, id) {
      const { tenantId, permissions, traceParent } = caller;
      return sql.beginFor(tenantId, async (tx) => {
        const connection = await lockConnection(tx, tenantId, { id });
        if (!connection) throw noConnection();
        const record = recordOf(connection);
        permissions.require("Webhooks:Update", TYPE, record);
        const { Id, Name, Entities, Events } = record;
        const eventId = await recordPing(tx, tenantId, { Id, Name, Entities, Events }, traceParent);
        const subject = { type: TYPE, id };
        const details = { EventId: eventId };
        await recordAudit(tx, tenantId, caller, { kind: "WebhookConnection.Pinged", subject, details });
        return eventId;
      });
    },
  };
}

async function lookUp(tx: Transaction, tenantId: TenantId, input: ConnectionInput): Promise<Connection | undefined> {
  if (input.Id !== undefined) {
    const existing = await lockConnection(tx, tenantId, { id: input.Id });
    if (!existing) throw new NotFound(`There is no WebhookConnection with the Id ${input.Id}.`);
    return existing;
  }
  return input.Name ? lockConnection(tx, tenantId, { name: input.Name }) : undefined;
}

/** Whether the receiver may now accept what it rejected before. */
function isCalledOtherwise(before: Connection, after: Connection): boolean {
  const fields = ["url", "secret", "apiKey", "headers", "timeoutMs"] as const;
  return fields.some((field) => before[field] !== after[field]);
}

/**
 * Checks the input against the stored connection.
 * @param seen the record as the caller may read it, to recognize an unchanged copy
 * @param existing undefined for a new connection
 * @throws BadInput
 */
function requireFit(
  seen: ConnectionRecord | undefined,
  existing: Connection | undefined,
  input: ConnectionInput,
): void {
  // A copy of the read record is allowed and changes nothing.
  if (input.State === "Held" && !(existing && seen?.State === "Held")) {
    throw new BadInput("State must be Active or Paused; Held is what deliveries that fail make of it.");
  }
  CONNECTION.refuseReadOnly(input, seen);
  const { ApiKey: apiKey, URL: url = existing?.url } = input;
  if (url === undefined || apiKey === undefined) return;
  const isHidden = input.URL === undefined && !seen;
  // The ApiKey in the URL is sent, so a different one would have no effect.
  if (ownApiKeys(url).every((own) => own === apiKey && !isHidden)) return;
  throw new BadInput(
    "The URL has an ApiKey of its own, and ApiKey is another. Change it in the URL, or leave one out.",
  );
}

function merge(existing: Connection, changes: Partial<Connection>): Connection {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...existing, ...given };
}
