import type { Access, Caller, Policies, Roles } from "../access/index.ts";
import type { AuditLog } from "../audit/index.ts";
import type { Sql } from "../db/connection.ts";
import type { Entities } from "../entities/index.ts";
import type { MasterKey } from "../master-key.ts";
import type { Consents, SettingsClient } from "../oauth/index.ts";
import type {
  Cookies,
  Forms,
  IdentityProviders,
  ProviderContract,
  Sessions,
  Site,
  UserAdministration,
} from "../signin/index.ts";
import type { ConnectionContract } from "../webhooks/index.ts";
import type { SettingsSite } from "./assets.ts";

export interface SettingsDependencies {
  sql: Sql;
  masterKey: MasterKey;
  publicUrl: string;
  /** Of the sign-in pages. */
  site: Site;
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  settingsClient: SettingsClient;
  access: Access;
  /** Users, departments, applications. */
  records: Entities;
  users: UserAdministration;
  consents: Consents;
  providers: IdentityProviders;
  identityProvider: ProviderContract;
  policies: Policies;
  roles: Roles;
  auditLog: AuditLog;
  /** Told of who asks; may throw to refuse a request. */
  onClient(request: Request, caller: Caller): void;
  /** Told of what was not the caller's fault. */
  onFailure(error: unknown, request: Request): void;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  connection: ConnectionContract;
  /** Milliseconds that a connection's former secret signs beside the new one, unless a rotation says otherwise. */
  secretOverlapMs: number;
  /** Where a person opens a workflow in the Temporal UI. */
  workflowUrl(workflowId: string): string;
}

/** What showing a page takes. */
export interface ConsoleDependencies extends SettingsDependencies {
  settingsSite: SettingsSite;
}
