// Erasures for REST and the console: the counts, the request, and the certificate.

import type { Queries, Sql } from "../../platform/db/sql.ts";
import { Conflict, NotFound, PreconditionFailed } from "../../platform/errors.ts";
import type { RecordOf } from "../../platform/http/fields.ts";
import { readUserId } from "../../platform/http/query.ts";
import {
  type Caller,
  createLog,
  type Log,
  type Permitted,
  type RecordRoutes,
  recordAudit,
  requireForAll,
  type Shown,
  withoutRecords,
} from "../../records/index.ts";
import { ERASURE, type EraseInput } from "./contract.ts";
import { ERASURES, type Erasure, findTraces, namesOf, saveErasure } from "./erasures.store.ts";
import { countPersonalRows, type PersonalCounts } from "./store.ts";

const TYPE = ERASURE.name;

/** Fields of a User that sign-ins in progress may have. */
const IDENTIFIERS = ["Username", "Email", "MobilePhone", "External_Id"];

type Reader = Permitted<"AccessManager:Read">;
type Eraser = Permitted<"AccessManager:Erase">;

export interface Erasures extends Log<"AccessManager:Read", ErasureRecord, Record<never, never>> {
  /**
   * The record is deleted at once. A second request changes how deliveries are treated. @param seen confirmed counts
   * @throws NotFound, Permission, Conflict if it is the caller, PreconditionFailed if the counts have changed
   */
  erase(caller: Eraser, userId: string, input: EraseInput, seen?: PersonalCounts): Promise<Shown<ErasureRecord>>;
  /** The counts that would be removed now, by kind. @throws NotFound, Permission */
  preview(caller: Eraser, userId: string): Promise<Shown<{ Counts: PersonalCounts }>>;
  /** The record as a signed JWT. @throws NotFound, Permission, Conflict while it is Running */
  certify(caller: Reader, id: string): Promise<Shown<{ Certificate: string }>>;
}

export interface ErasuresDependencies {
  sql: Sql;
  records: RecordRoutes["records"];
  issuer: string;
  sign(claims: Record<string, unknown>): Promise<string>;
}

export function createErasures({ sql, records, issuer, sign }: ErasuresDependencies): Erasures {
  const log = createLog(sql, ERASURE, ERASURES, {}, toErasureRecord);

  return {
    ...log,
    async erase(caller, userId, { Deliveries = "Send" }, seen) {
      const { tenantId, actor } = caller;
      const id = readUserId(userId);
      const erasure = await records.of("User").erase(caller, id, async (tx, record) => {
        if (!record) await requireTraces(caller, tx, id);
        const values = IDENTIFIERS.map((name) => String(record?.[name] ?? "")).filter(Boolean);
        const names = record ? await namesOf(tx, tenantId, id, values) : null;
        const removed = await countPersonalRows(tx, tenantId, id);
        if (seen && !Bun.deepEquals(seen, removed))
          throw new PreconditionFailed(
            "The counts have changed since they were shown. Nothing was erased: check them again.",
          );
        const by = { createdByType: actor.type, createdById: actor.id };
        const saved = await saveErasure(tx, tenantId, { userId: id, deliveries: Deliveries, removed, names, ...by });
        const details = { ErasureId: saved.id, Deliveries };
        await recordAudit(tx, tenantId, caller, { kind: "Erasure.Created", subject: { type: "User", id }, details });
        return saved;
      });
      return (await caller.gate.written(TYPE, toErasureRecord(erasure), toErasureRecord(erasure))).record;
    },
    async preview(caller, userId) {
      const id = readUserId(userId);
      const { tenantId } = caller;
      const [record] = await records.of("User").find(sql, tenantId, "User", [String(id)]);
      if (record) caller.permissions.require("AccessManager:Erase", "User", record);
      else await requireTraces(caller, sql, id);
      return withoutRecords({ Counts: await countPersonalRows(sql, tenantId, id) });
    },
    async certify(caller, id) {
      const { Id, State, ...erasure } = await log.read(caller, id);
      if (State !== "Completed")
        throw new Conflict("The erasure is Running. Its certificate is made when it has ended.");
      const claims = { iss: issuer, jti: Id, tenant_id: caller.tenantId, ...erasure };
      return withoutRecords({ Certificate: await sign(claims) });
    },
  };
}

const ERASES_SOME =
  "This User was deleted, and your policies for AccessManager:Erase depend on the record. Only callers who may erase " +
  "every User may erase the rest, or change an erasure that is Running.";

/**
 * For a User whose record was deleted: policies have only the Id, so one that forbids by the record would not apply.
 * @throws NotFound, Permission
 */
async function requireTraces({ tenantId, permissions }: Caller, sql: Queries, userId: number): Promise<void> {
  permissions.require("AccessManager:Erase", "User", { Id: userId });
  requireForAll(permissions, "AccessManager:Erase", "User", ERASES_SOME);
  const { areKept, runningId } = await findTraces(sql, tenantId, userId);
  if (runningId) refuseForbidden(permissions, { Id: runningId, UserId: String(userId), State: "Running" });
  if (!areKept) throw new NotFound("There is no User with this Id, and no data about one.");
}

/** Permission to erase the User includes its erasure, unless a policy forbids to change that. @throws Permission */
function refuseForbidden(permissions: Caller["permissions"], erasure: Record<string, unknown>): void {
  for (const action of ["AccessManager:Erase", "AccessManager:Update"] as const) {
    const { forbidden } = permissions.decide(action, TYPE, erasure, erasure, "Record");
    if (forbidden) permissions.require(action, TYPE, erasure);
  }
}

export type ErasureRecord = RecordOf<typeof ERASURE.field>;

function toErasureRecord(erasure: Erasure): ErasureRecord {
  return ERASURE.toRecord(erasure, {
    Waiting: erasure.waiting,
    Reason: erasure.state === "Running" ? reasonToRun(erasure) : null,
    CreatedBy: { Type: erasure.createdByType, Id: String(erasure.createdById) },
  });
}

function reasonToRun({ isSearched, isSettled, waiting, held }: Erasure): string {
  if (!isSearched && !isSettled) return "Waits for transactions of PostgreSQL that began before it, such as a backup.";
  if (!waiting) return isSearched ? "Removes payloads, answers and keys." : "Searches the stored events.";
  const next = held ? ` Held: ${held.toLocaleString("en")}. Resume their connections, or discard what they hold.` : "";
  return `Waits for ${waiting.toLocaleString("en")} open ${waiting === 1 ? "delivery or logout" : "deliveries and logouts"}.${next}`;
}
