import type { TenantId } from "../../platform/ids.ts";
import { type AttributeDefinition, type Caller, type Shown, withoutRecords } from "../../records/index.ts";
import { type EventKind, type EventSubject, eventKinds } from "./kinds.ts";

export interface EventCatalogue {
  /** With the tenant's own attributes. */
  list(caller: Pick<Caller, "tenantId">): Promise<Shown<{ Items: EventKind[]; Next: null; Hidden: 0 }>>;
}

export type FindAttributes = (tenantId: TenantId) => Promise<AttributeDefinition[]>;

export function createEventCatalogue(
  subjects: readonly EventSubject[],
  findAttributes: FindAttributes,
): EventCatalogue {
  return {
    list: async ({ tenantId }) =>
      withoutRecords({ Items: eventKinds(subjects, await findAttributes(tenantId)), Next: null, Hidden: 0 }),
  };
}
