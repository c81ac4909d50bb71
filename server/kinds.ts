// The kinds of records in policies, webhooks and the audit log.

import { resourceType } from "./access/index.ts";
import { ALERT } from "./alerts/index.ts";
import { AUDIT_RESOURCE_TYPE } from "./audit/index.ts";
import { resourceTypes } from "./entities/index.ts";
import { ALERT_RECORD, AUDIT_RECORD } from "./events/index.ts";
import { OAUTH_RESOURCE_TYPES } from "./oauth/index.ts";
import { ERASURE_RESOURCE_TYPE } from "./personal-data/index.ts";
import type { Entity } from "./records/index.ts";
import { REQUEST_RESOURCE_TYPE } from "./requests/index.ts";
import type { SettingsKinds } from "./settings.ts";
import { TENANT_SETTINGS } from "./tenants/index.ts";
import { CONNECTION, webhookResourceTypes } from "./webhooks/index.ts";

export function policyTypes(entities: readonly Entity[], settings: SettingsKinds) {
  const [entityTypes, alert] = [resourceTypes(entities), resourceType(ALERT)];
  return [
    ...entityTypes,
    ...webhookResourceTypes([...entityTypes, alert, AUDIT_RESOURCE_TYPE]),
    ...OAUTH_RESOURCE_TYPES,
    alert,
    AUDIT_RESOURCE_TYPE,
    ERASURE_RESOURCE_TYPE,
    REQUEST_RESOURCE_TYPE,
    resourceType(TENANT_SETTINGS),
    ...typesOf(settings).map((type) => resourceType(type)),
  ];
}

/** Types whose records policies can be tried on, by Id. */
export const namesOfRecords = (entities: readonly Entity[], settings: SettingsKinds) =>
  [...entities, ...typesOf(settings), CONNECTION].map(({ name }) => name);

export const namesOfEventRecords = (entities: readonly Entity[]) => [
  ...entities.filter(({ events }) => events).map(({ name }) => name),
  ALERT_RECORD,
  AUDIT_RECORD,
];

export const auditSubjects = (entities: readonly Entity[], settings: SettingsKinds) =>
  [...entities, ...typesOf(settings), ...webhookResourceTypes([])].map(({ name }) => name);

const typesOf = (settings: SettingsKinds) => Object.values(settings).map(({ type }) => type);
