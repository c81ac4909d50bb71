import type { TenantId } from "../../platform/ids.ts";
import { type AttributeDefinition, type Caller, type Shown, withoutRecords } from "../../records/index.ts";
import { type EventKind, type EventSubject, eventKinds } from "./kinds.ts";

export interface EventCatalogue {
  /** With the tenant's own attributes, if the caller may read every User. */
  list(caller: Pick<Caller, "tenantId" | "gate">): Promise<Shown<{ Items: EventKind[]; Next: null; Hidden: 0 }>>;
}

export type FindAttributes = (tenantId: TenantId) => Promise<AttributeDefinition[]>;

export function createEventCatalogue(
  subjects: readonly EventSubject[],
  findAttributes: FindAttributes,
): EventCatalogue {
  return {
    async list({ tenantId, gate }) {
      const attributes = gate.seesAll("User") ? await findAttributes(tenantId) : [];
      return withoutRecords({ Items: eventKinds(subjects, attributes), Next: null, Hidden: 0 });
    },
  };
}
