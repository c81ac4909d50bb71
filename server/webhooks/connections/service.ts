import { randomBytes } from "node:crypto";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { movedAddresses, requireSecretsAnew } from "../../platform/egress/index.ts";
import { BadInput, Conflict, Permission } from "../../platform/errors.ts";
import { isUuid, type Paging, textFilter, type Values, wordFilter } from "../../platform/http/query.ts";
import { type ConnectionId, type EventId, newId, type TenantId } from "../../platform/ids.ts";
import type { Limits } from "../../platform/limits/index.ts";
import {
  AUDIT_RECORD,
  auditedAs,
  byIdOrName,
  type Caller,
  createRecordService,
  outbox,
  type Permitted,
  type RecordService,
  recordAudit,
  recordPing,
  type ServedKind,
  type Shown,
  type ShownPage,
  tableKind,
  type WEBHOOK,
  type Whole,
} from "../../records/index.ts";
import { CONNECTION, CONNECTION_STATES, type ConnectionInput, type ConnectionRecord } from "../connection.ts";
import { refuseMisfits, requirePush } from "../connection-kind.ts";
import {
  CONNECTION_TABLE,
  type Connection,
  countOtherFilters,
  deleteConnection,
  endPullLease,
  findConnection,
  findConnections,
  forgetFailure,
  type LoggedConnection,
  lockConnection,
} from "../connections.store.ts";
import { countPostsInFlight } from "../deliveries/start-attempt.store.ts";
import { endHold, probeAtOnce } from "../holding.store.ts";
import { countAllEnded } from "../redelivery/follow.store.ts";
import { cancelRedeliveries, startDrain, wakeStarters } from "../redelivery/store.ts";
import { type ConnectionSeals, mergeHeaders, ownApiKeys } from "../secrets.ts";
import { clearSome } from "./clearing.ts";
import { type ConnectionRecords, noConnection, toConnectionId } from "./record.ts";
import { endRotation } from "./secret-rotation.store.ts";

const TYPE = "WebhookConnection";
/** The filtered connections of a tenant. */
export const MAX_FILTERS = 20;
const NO_FILTER = { filterReads: null };
const NOT_HELD = { heldOn: null, heldReason: null };

const OF_TABLE = tableKind<(typeof CONNECTION)["field"], Connection>(CONNECTION, CONNECTION_TABLE, "for update");
const FILTERS = {
  ...OF_TABLE.filters,
  Name: textFilter("The connection with this Name; empty: connections without one.", CONNECTION.field.Name.shown!),
  State: wordFilter(CONNECTION_STATES, "Connections in this state."),
};

/** A sample record of each entity that can trigger a webhook, by the name of the entity. */
export type Samples = ReadonlyMap<string, Record<string, unknown>>;

/** Its `find` also finds deleted ones. After a deletion, a worker cancels open deliveries beyond the first ones. */
export interface Connections extends RecordService<ConnectionRecord, ConnectionInput, typeof WEBHOOK, typeof FILTERS> {
  list(caller: Caller, filters: Partial<Values<typeof FILTERS>>, paging: Paging): Promise<ShownPage<ConnectionRecord>>;
  count(caller: Caller, filters: Partial<Values<typeof FILTERS>>, max: number): Promise<number | null>;
  read(caller: Caller, id: string): Promise<SeenConnection>;
  readAll(caller: Caller, ids: ConnectionId[]): Promise<Shown<LoggedConnection>[]>;
  /** Also pings a Held or Paused connection, and does not resume it. @throws NotFound, Permission */
  ping(caller: Permitted<"Webhooks:Update">, id: ConnectionId): Promise<EventId>;
  recordOf(connection: Connection): ConnectionRecord;
}

export interface ConnectionFilters {
  /** @throws BadInput for an invalid filter */
  examine(caller: Caller, filter: string, entities: readonly string[]): Promise<outbox.FilterReads>;
  /** Tries a filter on stored events. @throws BadInput if it fails */
  requireNoFailure(
    caller: Caller,
    connection: Pick<Connection, "id" | "filter" | "filterReads" | "entities" | "events">,
  ): Promise<void>;
}

export interface SeenConnection extends Whole<ConnectionRecord> {
  isSigned: boolean;
}

export function createConnections(
  sql: Sql,
  seals: ConnectionSeals,
  { recordOf, hiddenFrom, versionOf }: ConnectionRecords,
  limits: Pick<Limits, "admitConnection">,
  filters: ConnectionFilters,
  samples: Samples,
): Connections {
  const isElsewhere = (before: Connection, after: Connection) =>
    movedAddresses(TYPE, recordOf(before), recordOf(after)).length > 0;

  const kind: ServedKind<Connection, ConnectionRecord, ConnectionInput, typeof FILTERS> = {
    ...OF_TABLE,
    recordOf,
    filters: FILTERS,
    version: versionOf,
    shown: hiddenFrom,
    // Deleted ones too, which the log refers to.
    findAll: (queries, tenantId, ids) => findConnections(queries, tenantId, ids.filter(isUuid<ConnectionId>)),
    lock: byIdOrName(TYPE, lockConnection),
    async prepare(_, caller, input, before) {
      const { id, ...given } = CONNECTION.toColumns(input);
      const after = merge(before ?? blank(input), { ...given, ...sealed(input, before) });
      after.receivesAudit ||= [before, after].some((one) => one?.entities.includes(AUDIT_RECORD));
      // The ApiKey in the new URL applies; the stored one was for the former address.
      const [ownKey] = ownApiKeys(after.url);
      if (before && ownKey !== undefined && isElsewhere(before, after)) after.apiKey = seals.apiKey.seal(ownKey);
      if (!before || differsIn(["filter", "entities"], before, after)) {
        const { filter, entities } = after;
        after.filterReads = filter === null ? null : await filters.examine(caller, filter, entities);
      }
      return before && isReleased(before, after) ? { ...after, ...NOT_HELD } : after;
    },
    async check(tx, caller, { before, after, input }) {
      const { gate, tenantId } = caller;
      refuseMisfits(before, after);
      refuseUnknownFields(samples, after);
      refuseTwoAuthorizations(after, Object.keys(seals.headers.open(after.headers)));
      if (after.filter && (!before || judgesMore(before, after))) {
        await admitFilter(tx, tenantId, after.id);
        await filters.requireNoFailure(caller, after);
      }
      const isAdded = after.entities.includes(AUDIT_RECORD) && !before?.entities.includes(AUDIT_RECORD);
      // A path, an ApiKey or a header can decide who reads. Stored deliveries of a former subscription are sent there too.
      const isRedirected = after.receivesAudit && before !== undefined && isAddressedOtherwise(before, after);
      if (isAdded || isRedirected) requireAuditReader(caller);
      if (after.entities.includes(AUDIT_RECORD) && !after.events.includes("Created"))
        throw new BadInput(`Events must have Created, the only event of ${AUDIT_RECORD}.`);
      if (!before) return requireFit(recordOf(after), undefined, input);
      const [from, to] = [recordOf(before), recordOf(after)];
      requireSecretsAnew(gate, TYPE, from, to, keptSecrets(before, input));
      requireFit(gate.sees(TYPE, from) ? from : undefined, before, input);
    },
    async insert(tx, { tenantId, actor }, row) {
      await limits.admitConnection(tx, tenantId);
      return CONNECTION_TABLE.insert(tx, tenantId, row, actor);
    },
    // A Secret in the body ends a rotation, even if it does not change.
    isSame: (before, after, { Secret }) => Secret === undefined && Bun.deepEquals(before, after),
    async afterWrite(tx, { tenantId }, { before, after, input }) {
      if (!before) return;
      const { id } = after;
      if (differsIn(["filter", "entities"], before, after)) await forgetFailure(tx, id);
      if (after.maxInFlight !== null && before.maxInFlight === null) await countPostsInFlight(tx, tenantId, id);
      // Immediate, because the previous secret may have leaked.
      if (input.Secret !== undefined || isElsewhere(before, after)) await endRotation(tx, tenantId, id);
      if (isReleased(before, after)) await endHold(tx, tenantId, id);
      else if (before.state === "Held" && isCalledOtherwise(before, after)) {
        await probeAtOnce(tx, tenantId, id);
        await wakeStarters(tx, tenantId, id);
      }
      if (after.kind === "Pull") {
        // Its consumer may have crashed with a long lease.
        if (after.state !== "Active") await endPullLease(tx, tenantId, id);
        await outbox.wakePull(tx, id);
      } else if (after.state === "Active" && before.state !== "Active") {
        await countAllEnded(tx, tenantId, id);
        await startDrain(tx, tenantId, id, true);
      }
    },
    async remove(tx, { tenantId }, { id, kind, state }) {
      await deleteConnection(tx, tenantId, id);
      await cancelRedeliveries(tx, tenantId, id);
      if (state === "Held") await endHold(tx, tenantId, id);
      if (kind === "Pull") await outbox.wakePull(tx, id);
    },
    // Secret and Headers are compared by their seals, which differ for every new value.
    audit: auditedAs(recordAudit, CONNECTION, (connection) => ({
      ...recordOf(connection),
      Secret: connection.secret,
      Headers: connection.headers,
    })),
  };
  const service = createRecordService(sql, kind);

  function blank(input: ConnectionInput): Connection {
    const needed = ["Entities", "Events"] as const;
    const { Entities: entities, Events: events } =
      input.Kind === "Pull" ? CONNECTION.whole(input, ...needed) : CONNECTION.whole(input, "URL", ...needed);
    const apiKey = seals.apiKey.seal(randomBytes(24).toString("base64url"));
    const own = {
      id: newId<ConnectionId>(),
      url: "",
      entities,
      events,
      apiKey,
      receivesAudit: false,
      ...NO_FILTER,
      ...NOT_HELD,
    };
    return { ...(CONNECTION.blank() as Omit<Connection, keyof typeof own>), ...own };
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
    ...service,
    recordOf,
    async read(caller, id) {
      const tagged = await service.read(caller, id);
      const connection = await findConnection(sql, caller.tenantId, toConnectionId(id));
      return { ...tagged, isSigned: (connection?.secret ?? null) !== null };
    },
    async readAll({ tenantId, gate }, ids) {
      return gate.only(TYPE, await findConnections(sql, tenantId, ids), { resource: recordOf });
    },
    async remove(caller, id, conditions) {
      const gone = await service.remove(caller, id, conditions);
      await clearSome(sql, caller.tenantId, toConnectionId(id));
      return gone;
    },
    async ping(caller, id) {
      const { tenantId, permissions, traceParent } = caller;
      return sql.beginFor(tenantId, async (tx) => {
        const connection = await lockConnection(tx, tenantId, { id });
        if (!connection) throw noConnection();
        const record = recordOf(connection);
        permissions.require("Webhooks:Update", TYPE, record);
        requirePush(connection.kind);
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

/** Whether its filter is evaluated on events on which it was not tried. */
function judgesMore(before: Connection, after: Connection): boolean {
  const gains = (name: "entities" | "events") => after[name].some((one) => !before[name].includes(one));
  return after.filter !== before.filter || gains("entities") || gains("events");
}

const isReleased = (before: Connection, after: Connection) => before.state === "Held" && after.state !== "Held";

/** Whether the receiver may now accept what it rejected before. */
function isCalledOtherwise(before: Connection, after: Connection): boolean {
  return isAddressedOtherwise(before, after) || differsIn(["secret", "timeoutMs", "signByKey"], before, after);
}

function isAddressedOtherwise(before: Connection, after: Connection): boolean {
  return differsIn(["url", "apiKey", "headers"], before, after);
}

function differsIn(fields: (keyof Connection)[], before: Connection, after: Connection): boolean {
  return fields.some((field) => !Bun.deepEquals(before[field], after[field]));
}

/**
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
    throw new BadInput("State must be Active or Paused; Held is set only after failed deliveries.");
  }
  const { ApiKey: apiKey, URL: url = existing?.url } = input;
  if (url === undefined || apiKey === undefined) return;
  const isHidden = input.URL === undefined && !seen;
  // The ApiKey in the URL is sent, so a different one would have no effect.
  if (ownApiKeys(url).every((own) => own === apiKey && !isHidden)) return;
  throw new BadInput("The URL contains an ApiKey that differs from ApiKey. Change it in the URL, or omit one.");
}

/** @throws BadInput naming fields that no record of the connection has */
function refuseUnknownFields(samples: Samples, { fields, entities }: Connection): void {
  const known = new Set(entities.flatMap((entity) => Object.keys(samples.get(entity) ?? {})));
  const unknown = fields?.filter((name) => !known.has(name)) ?? [];
  if (unknown.length === 0) return;
  const records = new Intl.ListFormat("en", { type: "disjunction" }).format(entities);
  const Message = `Fields: no ${records} has the field ${unknown.join(", ")}.`;
  throw BadInput.in([{ Field: "Fields", Message }]);
}

/** @throws BadInput */
function refuseTwoAuthorizations({ signByKey }: Connection, headers: string[]): void {
  if (!signByKey || !headers.some((name) => name.toLowerCase() === "authorization")) return;
  const Message = "Headers: Authorization is set by SignByKey. Remove it, or set SignByKey to false.";
  throw BadInput.in([{ Field: "Headers", Message }]);
}

/** A tenant's filters are all evaluated in each of its changes. @throws Conflict */
async function admitFilter(tx: Transaction, tenantId: TenantId, id: ConnectionId): Promise<void> {
  if ((await countOtherFilters(tx, tenantId, id)) < MAX_FILTERS) return;
  throw new Conflict(`A tenant can have ${MAX_FILTERS} connections with a Filter. Delete a filter first.`);
}

/** The receiver gets entries of the audit log, new ones or stored ones. @throws Permission */
export function requireAuditReader({ scopes, gate }: Caller): void {
  if (scopes.has("Settings:Read") && gate.seesAll(AUDIT_RECORD)) return;
  throw new Permission(
    `Only callers who may read every ${AUDIT_RECORD}, with Settings:Read, may choose who receives them. They alone add ` +
      `${AUDIT_RECORD} to Entities, change URL, ApiKey or Headers of a connection that has or had it, and get the events of one that pulls.`,
  );
}

function merge(existing: Connection, changes: Partial<Connection>): Connection {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...existing, ...given };
}
