// Creates the services of the API and the console, in the order of their dependencies.

import type { Logger } from "pino";
import { createErasures, createKept, createPersonalData } from "./data/index.ts";
import {
  type createIssuedTokens,
  createLogouts,
  createProvider,
  createSettings,
  imports,
  mail,
  type SettingsKinds,
  scim,
  scopesNow,
  tenants,
} from "./identity/index.ts";
import { auditSubjects, namesOfEventRecords, namesOfRecords, policyTypes } from "./kinds.ts";
import type { Config } from "./platform/config/config.ts";
import type { Sql } from "./platform/db/sql.ts";
import type { Egress } from "./platform/egress/index.ts";
import { createExporter } from "./platform/http/export.ts";
import type { LogFailure } from "./platform/http/failure-log.ts";
import type { AdmitClient } from "./platform/http/rate-limit.ts";
import type { Limits } from "./platform/limits/index.ts";
import type { ApiMetrics } from "./platform/metrics/index.ts";
import { createFindWorkflow } from "./platform/temporal/find-workflow.ts";
import type { Vault } from "./platform/vault.ts";
import {
  AUDIT_EVENT,
  AUDIT_RECORD,
  bearerTokens,
  createAccess,
  createAuditLog,
  createEntities,
  createFindRecord,
  createRenameRole,
  type Entity,
  recordAudit,
  requests,
} from "./records/index.ts";
import { ALERT, CONNECTION, connectionContract, createStatements, createWebhooks } from "./webhooks/index.ts";

export interface ServicesDependencies {
  config: Config;
  sql: Sql;
  vault: Vault;
  egress: Egress;
  log: Logger;
  metrics: ApiMetrics;
  issued: ReturnType<typeof createIssuedTokens>;
  entities: readonly Entity[];
  kinds: SettingsKinds;
  admitClient: AdmitClient;
  limits: Limits;
  logFailure: LogFailure;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
}

export function createServices(deps: ServicesDependencies) {
  const { config, sql, vault, egress, log, metrics, issued, entities, kinds, logFailure, stopping } = deps;
  const { admitClient, limits } = deps;
  const { publicUrl } = config;
  const { workflowUrl, workflowsUrl } = temporalUi(config.temporal);
  const exporter = createExporter();

  const access = createAccess({
    sql,
    vault,
    log,
    resourceTypes: policyTypes(entities, kinds),
    recordTypes: namesOfRecords(entities, kinds),
    findScopes: scopesNow,
    onDecision: metrics.decided,
  });

  const auditLog = createAuditLog(sql, auditSubjects(entities, kinds), exporter);
  access.addRecords(AUDIT_RECORD, auditLog.find);

  const withEvents = Object.values(kinds).flatMap(({ type }) => (type.events ? type : []));
  const subjects = [...entities.map((entity) => ({ ...entity, ...entity.payload })), ...withEvents, ALERT];
  const webhooks = createWebhooks({
    sql,
    vault,
    limits,
    checkFilter: access.checkFilter,
    workflowUrl,
    exporter,
    stopping,
    secretOverlapMs: config.webhooks.secretOverlap,
    retentionMs: config.retention.log,
    samples: new Map<string, Record<string, unknown>>([
      ...subjects.map(({ name, example }) => [name, example] as const),
      [AUDIT_RECORD, auditLog.sample],
    ]),
    subjects: [...subjects, { ...AUDIT_EVENT, example: auditLog.sample }],
    findAttributes: (tenantId) => records.of("User").attributes({ tenantId }),
  });
  access.addRecords(CONNECTION.name, webhooks.connections.find);
  access.addRecords(ALERT.name, webhooks.alerts.find);

  const mailer = mail.createMailer(vault, config.mail, log);
  const personalData = createPersonalData({
    sql,
    findUser: createFindRecord(entities),
    admitOwner: access.admitOwner,
    eventLog: webhooks.eventLog,
    auditLog,
  });

  /** Strangers, who need no secret, cannot use up a tenant's limit. */
  const admit: AdmitClient = (request, client, network) => {
    admitClient(request, client, network);
    if (network === undefined) limits.admitRequest(client.tenantId);
  };

  const provider = createProvider({
    config,
    sql,
    access,
    vault,
    log,
    egress,
    issued,
    mailer,
    onClient: admit,
    onDevice: metrics.device,
    onFailure: logFailure,
    exportOwn: personalData.exportOwn,
  });
  const administration = provider.administration(createFindRecord(entities));
  const authenticateBearer = bearerTokens.createAuthenticate({
    verify: provider.verifyAccessToken,
    checkPossession: provider.checkPossession,
    admit: access.admit,
  });
  const authenticate: bearerTokens.Authenticate = async (request) => {
    const caller = await authenticateBearer(request);
    admit(request, caller);
    return caller;
  };

  const records = createEntities(
    {
      sql,
      limits,
      onCommitted(tenantId, change) {
        metrics.accepted([change]);
        access.forgetRecords(tenantId, change.eventRecord, change.recordIds);
      },
      onChange: provider.onRecordChange,
      onApart: provider.importCredentials,
    },
    entities,
  );
  const scimController = scim.createController({
    sql,
    publicUrl,
    of: records.of,
    authenticate,
    verifyClientSecret: provider.verifyClientSecret,
    admit: access.admit,
    onFailure: logFailure,
  });
  for (const { entity, find } of records.all) access.addRecords(entity.name, find);

  const settings = createSettings(kinds, {
    sql,
    vault,
    publicUrl,
    access,
    mailer,
    checkUrl: egress.checkUrl,
    fetch: egress.fetch,
    endGrantsBy: provider.endGrantsBy,
    recordChange: recordAudit,
    renameRole: createRenameRole({ access, recordChange: recordAudit }),
  });
  for (const { type, service } of Object.values(settings)) access.addRecords(type.name, service.find);

  return {
    ...administration,
    ...webhooks,
    access,
    provider,
    authenticate,
    records,
    scimController,
    settings,
    auditLog,
    exporter,
    personalData,
    erasures: createErasures({ sql, records, issuer: publicUrl, sign: provider.signs("erasure-certificate+jwt") }),
    statements: createStatements({
      sql,
      connections: webhooks.connections,
      retentionMs: config.retention.log,
      exporter,
      issuer: publicUrl,
      sign: provider.signs("delivery-statement+jwt"),
    }),
    requests: requests.createRequests(sql),
    ...createKept(sql, config.retention, config.temporal.retention),
    logouts: createLogouts({
      sql,
      workflowUrl,
      namesOfSessions: provider.namesOfSessions,
      credentials: administration.credentials,
    }),
    mailer,
    mails: mail.createMails({ sql, vault, mailer, config: config.mail, publicUrl, workflowUrl }),
    imports: imports.createInvitationImports({ sql, access, mailer, exporter }),
    limits,
    tenants: tenants.createTenants(sql),
    ownTenant: tenants.createOwnTenant(sql, config, limits.forget),
    connection: connectionContract({ entities: namesOfEventRecords(entities, kinds), checkUrl: egress.checkUrl }),
    entities: namesOfEventRecords(entities, kinds),
    workflowUrl,
    workflowsUrl,
    findWorkflow: createFindWorkflow(config.temporal),
  };
}

function temporalUi({ uiUrl, namespace }: Config["temporal"]) {
  const workflows = `${uiUrl}/namespaces/${namespace}/workflows`;
  return {
    workflowUrl: (workflowId: string) => `${workflows}/${encodeURIComponent(workflowId)}`,
    workflowsUrl: (query: string) => `${workflows}?query=${encodeURIComponent(query)}`,
  };
}
