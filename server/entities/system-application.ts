import type { Transaction } from "../db/connection.ts";
import type { TenantId } from "../tenant-id.ts";
import { recordEvent } from "../webhooks/index.ts";
import { changeOf } from "./record.ts";
import { createRegistry, ENTITIES } from "./registry.ts";
import { insertRow } from "./store.ts";

/**
 * Makes an application of our own, which nobody asked for by a call; its event stands in the same transaction.
 * @param name if the tenant has an application of that name, a UUID stands behind it
 * @returns its Id
 */
export async function insertSystemApplication(
  tx: Transaction,
  tenantId: TenantId,
  { name, description }: { name: string; description: string },
): Promise<number> {
  const entity = createRegistry(ENTITIES).find((candidate) => candidate.name === "Application")!;
  const insert = (chosen: string) =>
    insertRow(tx, tenantId, entity, { name: chosen, description, is_system: true, is_active: true }, undefined);
  const row = (await insert(name)) ?? (await insert(`${name} ${Bun.randomUUIDv7()}`));
  await recordEvent(tx, tenantId, changeOf(entity, "Created", [row!]));
  return Number(row!.id);
}
