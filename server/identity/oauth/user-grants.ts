// Access that Users have granted to Applications, as administrators see and revoke it.

import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { NotFound } from "../../platform/errors.ts";
import { idTextParameter, type Paging, readId, readUserId } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { TenantId } from "../../platform/ids.ts";
import {
  type Origin,
  type Permitted,
  type ResourceType,
  recordAudit,
  route,
  type Shown,
  type ShownPage,
} from "../../records/index.ts";
import type { FindApis } from "./apis/known-apis.ts";
import { expireDevices } from "./authorize/device.store.ts";
import type { Families } from "./tokens/families.ts";
import { GRANT, type UserGrantRecord, type UserGrantRow } from "./user-grant.ts";
import {
  deleteConsent,
  findUserGrant,
  type GrantsOf,
  isApplication,
  isUser,
  listUserGrants,
} from "./user-grants.store.ts";

export const GRANT_RESOURCE_TYPE: ResourceType = {
  name: "Grant",
  key: "Key",
  families: ["Settings"],
  attributes: [
    { name: "UserId", type: "number" },
    { name: "Application", type: "reference" },
    { name: "Scopes", type: "texts" },
  ],
};

const RESOURCE = GRANT_RESOURCE_TYPE.name;

type Reader = Permitted<"Settings:Read">;

/** Ids are as they appear in the path. */
export interface UserGrants {
  /** By Application Id, only those the caller may read. @throws Permission, NotFound, BadInput, ServiceBusy */
  listOfUser(caller: Reader, userId: string, paging: Paging): Promise<ShownPage<UserGrantRecord>>;
  /** The same, ordered by User Id. */
  listOfApplication(caller: Reader, applicationId: string, paging: Paging): Promise<ShownPage<UserGrantRecord>>;
  /** @throws Permission, NotFound */
  read(caller: Reader, userId: string, applicationId: string): Promise<Shown<UserGrantRecord>>;
  /** Also ends the consent and codes. @returns the visible part of the former grant @throws Permission, NotFound */
  revoke(caller: Permitted<"Settings:Update">, userId: string, applicationId: string): Promise<Shown<UserGrantRecord>>;
}

interface UserGrantsDependencies {
  sql: Sql;
  families: Families;
  findApis: FindApis;
}

export function createUserGrants({ sql, families, findApis }: UserGrantsDependencies): UserGrants {
  async function seenApis({ gate, tenantId }: Pick<Reader, "gate" | "tenantId">): Promise<SeenApi[]> {
    const apis = await findApis(tenantId);
    const seen = await gate.known(
      "Api",
      apis.map(({ id }) => id),
    );
    return apis.filter(({ id }) => seen.some(({ Id }) => Id === id));
  }

  async function list(caller: Reader, whose: GrantsOf, name: string, paging: Paging) {
    const apis = await seenApis(caller);
    return caller.gate.list({
      type: RESOURCE,
      name,
      paging,
      read: (limit, after) => listUserGrants(sql, caller.tenantId, whose, limit, after),
      id: ({ clientId, userId }) => String("userId" in whose ? clientId : userId),
      resource: toResource,
      item: (row) => toRecord(row, apis),
    });
  }

  return {
    async listOfUser(caller, userIdText, paging) {
      const userId = readUserId(userIdText);
      if (!(await isUser(sql, caller.tenantId, userId))) throw new NotFound("There is no User with this Id.");
      return list(caller, { userId }, `User/${userId}/Grants`, paging);
    },

    async listOfApplication(caller, applicationIdText, paging) {
      const clientId = readId("Application", applicationIdText);
      if (!(await isApplication(sql, caller.tenantId, clientId)))
        throw new NotFound("There is no Application with this Id.");
      return list(caller, { clientId }, `Application/${clientId}/Grants`, paging);
    },

    async read(caller, userIdText, applicationIdText) {
      const [userId, clientId] = [readUserId(userIdText), readId("Application", applicationIdText)];
      const grant = await findUserGrant(sql, caller.tenantId, userId, clientId);
      if (!grant) throw noGrant();
      const resource = toResource(grant);
      return (await caller.gate.show(RESOURCE, toRecord(grant, await seenApis(caller)), { resource })).record;
    },

    async revoke(caller, userIdText, applicationIdText) {
      const clientId = readId("Application", applicationIdText);
      const userId = readUserId(userIdText);
      const apis = await seenApis(caller);
      const revoked = await sql.beginFor(caller.tenantId, async (tx) => {
        const grant = await findUserGrant(tx, caller.tenantId, userId, clientId);
        if (!grant) throw noGrant();
        caller.permissions.require("Settings:Update", RESOURCE, toResource(grant));
        await endUserGrant(tx, families, caller.tenantId, grant, caller);
        return grant;
      });
      const resource = toResource(revoked);
      return (await caller.gate.written(RESOURCE, toRecord(revoked, apis), {}, { resource })).record;
    },
  };
}

function noGrant(): NotFound {
  return new NotFound("The Application has no access on behalf of this User.");
}

export async function endUserGrant(
  tx: Transaction,
  families: Families,
  tenantId: TenantId,
  { userId, clientId, scopes }: Pick<UserGrantRow, "userId" | "clientId" | "scopes">,
  origin: Origin,
): Promise<void> {
  // Codes first: a code that is being redeemed then has its family already.
  await expireDevices(tx, tenantId, userId, clientId);
  const wasConsented = await deleteConsent(tx, tenantId, userId, clientId);
  const ended = await families.revoke(tx, tenantId, { userId, clientId });
  // A concurrent call has already ended it.
  if (!wasConsented && ended === 0) return;
  await recordAudit(tx, tenantId, origin, {
    kind: "Grant.Revoked",
    subject: { type: "User", id: userId },
    details: { ApplicationId: String(clientId), Scopes: scopes },
  });
}

type SeenApi = Awaited<ReturnType<FindApis>>[number];

/** APIs with a granted scope, or allowed as a target. */
function apisOf<Of extends Pick<SeenApi, "id" | "scopes">>(
  { scopes, resources }: Pick<UserGrantRow, "scopes" | "resources">,
  apis: readonly Of[],
): Of[] {
  return apis.filter((api) => resources.includes(api.id) || api.scopes.some(({ name }) => scopes.includes(name)));
}

function toRecord(grant: UserGrantRow, apis: readonly SeenApi[]) {
  const { userId, userName, userExternalId, clientId, clientName, clientExternalId } = grant;
  return GRANT.toRecord(grant, {
    User: { Id: userId, ExternalId: userExternalId, Name: userName, Type: "User" },
    Application: { Id: clientId, ExternalId: clientExternalId, Name: clientName, Type: "Application" },
    Apis: apisOf(grant, apis).map(({ id, name }) => ({ Id: id, Name: name })),
  });
}

function toResource(grant: UserGrantRow) {
  const { userId, clientId } = grant;
  return { ...toRecord(grant, []), UserId: userId, Key: `${userId}/${clientId}` };
}

export function userGrantRoutes(grants: UserGrants): Route[] {
  const path = "/User/{Id}/Grants";
  const tag = { name: "Grants", description: "Access that Users have granted to Applications." };
  const user = { Id: idTextParameter("The User's Id.") };
  const answer = { description: "A page of grants.", schema: GRANT.record, example: GRANT.example, list: true };
  return [
    route({
      method: "GET",
      path,
      id: "listGrantsOfUser",
      tag,
      summary: "List the Applications that can act on behalf of a User",
      description: "Contains only records that the caller may read.",
      scopes: ["Settings:Read"],
      params: user,
      paged: true,
      answer,
      errors: ["ServiceBusy"],
      handle: (caller, { params, paging }) => grants.listOfUser(caller, params.Id, paging),
    }),
    route({
      method: "GET",
      path: "/Application/{Id}/Grants",
      id: "listGrantsOfApplication",
      tag,
      summary: "List the Users that an Application can act on behalf of",
      description: "Contains only records that the caller may read.",
      scopes: ["Settings:Read"],
      params: { Id: idTextParameter("The Application's Id.") },
      paged: true,
      answer,
      errors: ["ServiceBusy"],
      handle: (caller, { params, paging }) => grants.listOfApplication(caller, params.Id, paging),
    }),
    route({
      method: "DELETE",
      path: `${path}/{ApplicationId}`,
      id: "revokeGrant",
      tag,
      summary: "Revoke an Application's access on behalf of a User",
      description:
        "Its tokens and codes for this User are revoked at once. The next sign-in asks again, unless the Application is FirstParty.",
      scopes: ["Settings:Update"],
      params: { ...user, ApplicationId: idTextParameter("The Application's Id.") },
      answer: { description: "The revoked grant.", schema: GRANT.record, example: GRANT.example },
      handle: (caller, { params }) => grants.revoke(caller, params.Id, params.ApplicationId),
    }),
  ];
}
