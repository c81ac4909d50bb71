// …/Api: a tenant's own APIs, which accept access tokens issued for them.

import { readUrl, urlOf } from "../../../platform/address.ts";
import type { Queries } from "../../../platform/db/sql.ts";
import { BadInput, Conflict } from "../../../platform/errors.ts";
import { changesOf } from "../../../platform/http/contract.ts";
import {
  type Caller,
  createSettingsService,
  recordAudit,
  type SettingsDependencies,
  settingsResource,
} from "../../../records/index.ts";
import { API, type Api } from "./contract.ts";
import { normalAddress } from "./normal-address.ts";
import {
  API_STORE,
  audienceIsHeld,
  countApis,
  findHeldScope,
  restAudience,
  restsForAnother,
  takeScopes,
} from "./store.ts";

const APIS_PER_TENANT = 100;

interface ApiDependencies extends SettingsDependencies {
  /** The issuer, without a trailing slash. */
  publicUrl: string;
}

function createApis(deps: ApiDependencies) {
  const { access, publicUrl } = deps;
  return createSettingsService<(typeof API)["field"], Api>(deps, API, {
    store: API_STORE,
    committed: access.forget,
    async checkInput(_, { Audience = "" }) {
      if (!isWithin(publicUrl, Audience)) return;
      throw BadInput.in([
        { Field: "Audience", Message: `Audience must not be an address of this service, ${publicUrl}.` },
      ]);
    },
    async afterWrite(tx, caller, { before, after, input }) {
      const { tenantId } = caller;
      if (!before && (await countApis(tx, tenantId)) > APIS_PER_TENANT) {
        throw new Conflict(`There are ${APIS_PER_TENANT} APIs, the maximum for a tenant. Delete one first.`);
      }
      if (await restsForAnother(tx, tenantId, after.audience)) throw audienceIsHeld();
      const held = await findHeldScope(tx, tenantId, after);
      if (held) throw new Conflict(`Scopes: ${held} is a scope of another Api. Choose another name.`);
      if (input.ApplicationId && after.applicationId === null) {
        const Message = `ApplicationId: there is no Application ${input.ApplicationId}.`;
        throw BadInput.in([{ Field: "ApplicationId", Message }]);
      }
      if (before) await takeLostScopes(tx, caller, scopesOf(before), scopesOf(after));
    },
    async afterRemoval(tx, caller, api) {
      await restAudience(tx, caller.tenantId, api.audience);
      await takeLostScopes(tx, caller, scopesOf(api), []);
    },
  });
}

/** Ignores upper case in scheme and host, and a default port. */
function isWithin(publicUrl: string, address: string): boolean {
  const [own, other] = [urlOf(publicUrl), readUrl(normalAddress(address))];
  if (!other) return false;
  const pathOf = ({ pathname }: URL) => `${pathname.toLowerCase()}/`.replace(/\/+$/, "/");
  return own.origin === other.origin && pathOf(other).startsWith(pathOf(own));
}

const scopesOf = ({ scopes }: Api) => scopes.map(({ name }) => name);

/** Removes deleted scopes from all holders; otherwise a later API with the same scope would grant it to them. */
async function takeLostScopes(tx: Queries, caller: Caller, before: string[], after: string[]): Promise<void> {
  const gone = before.filter((scope) => !after.includes(scope));
  if (gone.length === 0) return;
  for (const loss of await takeScopes(tx, caller.tenantId, gone)) {
    await recordAudit(tx, caller.tenantId, caller, {
      kind: loss.type === "Role" ? "Role.Changed" : "Credentials.Changed",
      subject: { type: loss.type, id: loss.id },
      details: changesOf({ Scopes: loss.before }, { Scopes: loss.after }, ["Scopes"], ["Scopes"]),
    });
  }
}

export const APIS = {
  type: API,
  create: (deps: ApiDependencies) => settingsResource(API, createApis(deps)),
};
