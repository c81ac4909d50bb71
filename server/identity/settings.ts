// All kinds of settings, one line each. Routes, pages and other features derive from it.

import {
  POLICIES,
  type RecordService,
  ROLES,
  type SettingsDeclaration,
  type SettingsResource,
} from "../records/index.ts";
import { APIS } from "./oauth/apis/service.ts";
import { INVITATION_KIND as INVITATIONS } from "./signin/invitations/service.ts";
import { PROVIDERS } from "./signin/upstream/providers/routes.ts";

/** In the order of the console's navigation. */
export const SETTINGS = {
  invitations: INVITATIONS,
  providers: PROVIDERS,
  apis: APIS,
  policies: POLICIES,
  roles: ROLES,
};

export type KindDependencies = Parameters<typeof POLICIES.create>[0] &
  Parameters<typeof PROVIDERS.create>[0] &
  Parameters<typeof INVITATIONS.create>[0];

type Known = typeof SETTINGS;
type Resource = SettingsResource<RecordService<{ Id: string } & Record<string, unknown>, object>>;
export type SettingsKinds = Known & Record<string, SettingsDeclaration<KindDependencies, Resource>>;
export type KnownSettings = { [Kind in keyof Known]: ReturnType<Known[Kind]["create"]> };
export type Settings = KnownSettings & Record<string, Resource>;
export type SettingsServices = { [Kind in keyof Known]: KnownSettings[Kind]["service"] };

export function createSettings(kinds: SettingsKinds, deps: KindDependencies): Settings {
  return Object.fromEntries(Object.entries(kinds).map(([kind, { create }]) => [kind, create(deps)])) as Settings;
}

export function servicesOf(settings: Settings): SettingsServices {
  const services = Object.entries(settings).map(([kind, { service }]) => [kind, service]);
  return Object.fromEntries(services) as SettingsServices;
}
