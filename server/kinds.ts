// The kinds of records in policies, webhooks and the audit log.

import { ERASURE } from "./data/index.ts";
import { imports, mail, OAUTH_RESOURCE_TYPES, type SettingsKinds, tenants } from "./identity/index.ts";
import {
  ALERT_RECORD,
  AUDIT_EVENT,
  AUDIT_RECORD,
  type Entity,
  REQUEST,
  resourceType,
  resourceTypes,
} from "./records/index.ts";
import { ALERT, CONNECTION, webhookResourceTypes } from "./webhooks/index.ts";

export function policyTypes(entities: readonly Entity[], settings: SettingsKinds) {
  const withEvents = typesOf(settings).filter(({ events }) => events);
  const [entityTypes, alert, audit] = [resourceTypes(entities), resourceType(ALERT), resourceType(AUDIT_EVENT)];
  return [
    ...entityTypes,
    ...webhookResourceTypes([...entityTypes, alert, audit, ...withEvents.map((type) => resourceType(type))]),
    ...OAUTH_RESOURCE_TYPES,
    alert,
    audit,
    resourceType(ERASURE),
    resourceType(REQUEST),
    resourceType(mail.MAIL),
    resourceType(imports.IMPORT),
    resourceType(tenants.TENANT_SETTINGS),
    ...typesOf(settings).map((type) => resourceType(type)),
  ];
}

/** Types whose records policies can be tried on, by Id. */
export const namesOfRecords = (entities: readonly Entity[], settings: SettingsKinds) =>
  [...entities, ...typesOf(settings), CONNECTION].map(({ name }) => name);

export const namesOfEventRecords = (entities: readonly Entity[], settings: SettingsKinds) => [
  ...[...entities, ...typesOf(settings)].filter(({ events }) => events).map(({ name }) => name),
  ALERT_RECORD,
  AUDIT_RECORD,
];

export const auditSubjects = (entities: readonly Entity[], settings: SettingsKinds) =>
  [...entities, ...typesOf(settings), ...webhookResourceTypes([])].map(({ name }) => name);

const typesOf = (settings: SettingsKinds) => Object.values(settings).map(({ type }) => type);
