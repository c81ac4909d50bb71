// Erasures for REST and the console: the counts, the request, and the certificate.

import {
  type Caller,
  type Permitted,
  type ResourceType,
  requireForAll,
  type Shown,
  type ShownPage,
  withoutRecords,
} from "../access/index.ts";
import { recordAudit } from "../audit/index.ts";
import type { Queries, Sql } from "../db/sql.ts";
import type { Entities } from "../entities/index.ts";
import { Conflict, NotFound, PreconditionFailed } from "../errors.ts";
import { isUuid, type Paging, readUserId } from "../http/query.ts";
import type { EraseInput } from "./contract.ts";
import { clearUnfinished, type Erasure, findErasure, findTraces, listErasures, saveErasure } from "./erasures.store.ts";
import { countPersonalRows, type PersonalCounts } from "./store.ts";

export const ERASURE_RESOURCE_TYPE: ResourceType = {
  name: "Erasure",
  families: ["AccessManager"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "UserId", type: "text" },
    { name: "State", type: "text" },
  ],
};
const TYPE = ERASURE_RESOURCE_TYPE.name;

/** Fields of a User that sign-ins in progress may have. */
const IDENTIFIERS = ["Username", "Email", "MobilePhone", "External_Id"];

type Reader = Permitted<"AccessManager:Read">;
type Eraser = Permitted<"AccessManager:Erase">;

export interface Erasures {
  /**
   * The record is deleted at once. A second request changes how deliveries are treated. @param seen confirmed counts
   * @throws NotFound, Permission, Conflict if it is the caller, PreconditionFailed if the counts have changed
   */
  erase(caller: Eraser, userId: string, input: EraseInput, seen?: PersonalCounts): Promise<Shown<ErasureRecord>>;
  /** The counts that would be removed now, by kind. @throws NotFound, Permission */
  preview(caller: Eraser, userId: string): Promise<Shown<{ Counts: PersonalCounts }>>;
  /** Newest first. @throws BadInput, ServiceBusy */
  list(caller: Reader, paging: Paging): Promise<ShownPage<ErasureRecord>>;
  /** @throws NotFound, Permission */
  read(caller: Reader, id: string): Promise<Shown<ErasureRecord>>;
  /** The record as a signed JWT. @throws NotFound, Permission, Conflict while it is Running */
  certify(caller: Reader, id: string): Promise<Shown<{ Certificate: string }>>;
}

export interface ErasuresDependencies {
  sql: Sql;
  records: Entities;
  issuer: string;
  sign(claims: Record<string, unknown>): Promise<string>;
}

export function createErasures({ sql, records, issuer, sign }: ErasuresDependencies): Erasures {
  async function read({ tenantId, gate }: Reader, id: string) {
    const erasure = isUuid(id) ? await findErasure(sql, tenantId, id) : undefined;
    if (!erasure) throw new NotFound("There is no Erasure with this Id.");
    return (await gate.show(TYPE, toErasureRecord(erasure))).record;
  }

  return {
    async erase(caller, userId, { Deliveries = "Send" }, seen) {
      const { tenantId, actor } = caller;
      const id = readUserId(userId);
      const erasure = await records.of("User").erase(caller, id, async (tx, record) => {
        if (!record) await requireTraces(caller, tx, id);
        else
          await clearUnfinished(
            tx,
            tenantId,
            id,
            IDENTIFIERS.map((name) => String(record[name] ?? "")).filter(Boolean),
          );
        const removed = await countPersonalRows(tx, tenantId, id);
        if (seen && !Bun.deepEquals(seen, removed)) throw new PreconditionFailed("The counts have changed.");
        const wish = { userId: id, deliveries: Deliveries, removed, createdByType: actor.type, createdById: actor.id };
        const saved = await saveErasure(tx, tenantId, wish);
        const details = { ErasureId: saved.id, Deliveries };
        await recordAudit(tx, tenantId, caller, { kind: "Erasure.Created", subject: { type: "User", id }, details });
        return saved;
      });
      return (await caller.gate.written(TYPE, toErasureRecord(erasure), toErasureRecord(erasure))).record;
    },
    async preview(caller, userId) {
      const id = readUserId(userId);
      const { tenantId } = caller;
      const record = await records.of("User").find(caller, id);
      if (record) caller.permissions.require("AccessManager:Erase", "User", record);
      else await requireTraces(caller, sql, id);
      return withoutRecords({ Counts: await countPersonalRows(sql, tenantId, id) });
    },
    list: ({ tenantId, gate }, paging) =>
      gate.list({
        type: TYPE,
        paging,
        read: (limit, after) => listErasures(sql, tenantId, limit, after),
        id: ({ id }) => id,
        item: toErasureRecord,
      }),
    read,
    async certify(caller, id) {
      const { Id, State, ...erasure } = await read(caller, id);
      if (State !== "Completed")
        throw new Conflict("The erasure is Running. Its certificate is made when it has ended.");
      const claims = { iss: issuer, jti: Id, tenant_id: caller.tenantId, ...erasure };
      return withoutRecords({ Certificate: await sign(claims) });
    },
  };
}

const ERASES_SOME =
  "This User was deleted, and your policies for AccessManager:Erase depend on the record. Only callers who may erase " +
  "every User may erase the rest.";

/**
 * For a User whose record was deleted: policies have only the Id, so one that forbids by the record would not apply.
 * @throws NotFound, Permission
 */
async function requireTraces({ tenantId, permissions }: Caller, sql: Queries, userId: number): Promise<void> {
  permissions.require("AccessManager:Erase", "User", { Id: userId });
  const { areKept, isErasing } = await findTraces(sql, tenantId, userId);
  if (!isErasing) requireForAll(permissions, "AccessManager:Erase", "User", ERASES_SOME);
  if (!areKept) throw new NotFound("There is no User with this Id, and no data about one.");
}

export type ErasureRecord = ReturnType<typeof toErasureRecord>;

function toErasureRecord(erasure: Erasure) {
  return {
    Id: erasure.id as string,
    UserId: String(erasure.userId),
    Deliveries: erasure.deliveries,
    State: erasure.state,
    Removed: erasure.removed,
    Waiting: erasure.waiting,
    Reason: erasure.state === "Running" ? reasonToRun(erasure) : null,
    CreatedOn: erasure.createdOn.toISOString(),
    CreatedBy: { Type: erasure.createdByType, Id: String(erasure.createdById) },
    EndedOn: erasure.endedOn?.toISOString() ?? null,
  };
}

function reasonToRun({ isSearched, isSettled, waiting, held }: Erasure): string {
  if (!isSearched && !isSettled) return "Waits for transactions of PostgreSQL that began before it, such as a backup.";
  if (!waiting) return isSearched ? "Removes payloads, answers and keys." : "Searches the stored events.";
  const next = held ? ` Held: ${held.toLocaleString("en")}. Resume their connections, or discard what they hold.` : "";
  return `Waits for ${waiting.toLocaleString("en")} open ${waiting === 1 ? "delivery or logout" : "deliveries and logouts"}.${next}`;
}
