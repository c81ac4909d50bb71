import type { FindRecords } from "../../access/index.ts";
import { isUuid } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import { toConnectionRecord } from "./record.ts";
import { findConnections } from "./store.ts";

/** @returns finds connections by their Ids, deleted ones too, for what tells of them elsewhere */
export function createFindConnections(masterKey: MasterKey): FindRecords {
  return async (sql, tenantId, _, ids) =>
    (await findConnections(sql, tenantId, ids.filter(isUuid))).map((one) => toConnectionRecord(masterKey, one));
}
