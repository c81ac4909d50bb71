import type { FindRecords } from "../../../access/index.ts";
import { toRecordId } from "../../../http/record-id.ts";
import { toProviderRecord } from "./record.ts";
import { findProviders } from "./store.ts";

/** @returns finds identity providers by their Ids, for what tells of them elsewhere */
export function createFindProviders(publicUrl: string): FindRecords {
  return async (sql, tenantId, _, ids) => {
    const found = await findProviders(
      sql,
      tenantId,
      ids.flatMap((id) => toRecordId(id) ?? []),
    );
    return found.map((provider) => toProviderRecord(publicUrl, provider));
  };
}
