// Registration access tokens (RFC 7592) for administrators: …/RegistrationAccessToken and
// …/Application/{Id}/RegistrationAccessToken.

import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import { NotFound } from "../../../platform/errors.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { withSecret } from "../../../platform/http/contract.ts";
import { idParameter, type Paging } from "../../../platform/http/query.ts";
import type { Route } from "../../../platform/http/route.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Permitted, recordAudit, route, type Shown, type ShownPage } from "../../../records/index.ts";
import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import { CREDENTIALS } from "../clients/contract.ts";
import { lockApplication } from "../clients/store.ts";
import {
  findRegistration,
  listRegistrations,
  type RegistrationRow,
  setRegistrationToken,
} from "./access-tokens.store.ts";
import { type AccessTokenRecord, REGISTRATION } from "./contract.ts";

/** Policies evaluate a token like the credentials that it can change. */
const RESOURCE = CREDENTIALS.name;

export interface RegistrationAccessTokens {
  list(by: Permitted<"Settings:Read">, paging: Paging): Promise<ShownPage<AccessTokenRecord>>;
  /** @throws NotFound if the Application was not registered dynamically; Permission */
  read(by: Permitted<"Settings:Read">, applicationId: number): Promise<Shown<AccessTokenRecord>>;
  /** Invalidates the previous token. @throws NotFound, Permission */
  replace(
    by: Permitted<"Settings:Update">,
    applicationId: number,
  ): Promise<Shown<AccessTokenRecord & { Token: string }>>;
  /** The client keeps working but can no longer change itself. @throws NotFound, Permission */
  revoke(by: Permitted<"Settings:Update">, applicationId: number): Promise<Shown<AccessTokenRecord>>;
}

export function createRegistrationAccessTokens(sql: Sql): RegistrationAccessTokens {
  async function locked(tx: Transaction, by: Permitted<"Settings:Update">, applicationId: number) {
    await lockApplication(tx, by.tenantId, applicationId);
    const row = await found(tx, by.tenantId, applicationId);
    by.permissions.require("Settings:Update", RESOURCE, toResource(row));
    return row;
  }

  return {
    list: (by, paging) =>
      by.gate.list({
        type: RESOURCE,
        name: "RegistrationAccessToken",
        paging,
        read: (limit, after) => listRegistrations(sql, by.tenantId, limit, after),
        id: ({ applicationId }) => String(applicationId),
        resource: toResource,
        item: toRecord,
      }),

    async read(by, applicationId) {
      const row = await found(sql, by.tenantId, applicationId);
      return (await by.gate.show(RESOURCE, toRecord(row), { resource: toResource(row) })).record;
    },

    async replace(by, applicationId) {
      const token = newOpaqueValue();
      const row = await sql.beginFor(by.tenantId, async (tx) => {
        await locked(tx, by, applicationId);
        await setRegistrationToken(tx, by.tenantId, applicationId, digestOf(token));
        const subject = { type: "Application", id: applicationId };
        await recordAudit(tx, by.tenantId, by, { kind: "RegistrationAccessToken.Created", subject });
        return found(tx, by.tenantId, applicationId);
      });
      const made = { ...toRecord(row), Token: token };
      // The creator sees the token even without further read permission.
      return (await by.gate.written(RESOURCE, made, { Token: token }, { resource: toResource(row) })).record;
    },

    async revoke(by, applicationId) {
      const row = await sql.beginFor(by.tenantId, async (tx) => {
        const { madeOn } = await locked(tx, by, applicationId);
        if (madeOn === null) throw new NotFound("The Application has no registration access token.");
        await setRegistrationToken(tx, by.tenantId, applicationId, null);
        const subject = { type: "Application", id: applicationId };
        await recordAudit(tx, by.tenantId, by, { kind: "RegistrationAccessToken.Deleted", subject });
        return found(tx, by.tenantId, applicationId);
      });
      return (await by.gate.written(RESOURCE, toRecord(row), {}, { resource: toResource(row) })).record;
    },
  };
}

/** Clients with a metadata document never have a token. @throws NotFound */
async function found(sql: Parameters<typeof findRegistration>[0], tenantId: TenantId, applicationId: number) {
  const row = await findRegistration(sql, tenantId, applicationId);
  if (row) return row;
  throw new NotFound("No registered Application has this Id.");
}

const toRecord = ({ applicationId, externalId, name, ...row }: RegistrationRow) =>
  REGISTRATION.toRecord(row, {
    Application: { Id: applicationId, ExternalId: externalId, Name: name, Type: "Application" },
  });

function toResource({ applicationId, credentials }: RegistrationRow) {
  return { ...CREDENTIALS.toRecord(credentials), Id: String(applicationId) };
}

export function registrationAccessTokenRoutes(tokens: RegistrationAccessTokens): Route[] {
  const path = "/Application/{Id}/RegistrationAccessToken";
  const tag = { name: "Client registration", description: "Tokens that let applications register themselves." };
  const one = { tag, path, params: { Id: idParameter("The Application's Id.", "Application") } };
  const answer = { schema: REGISTRATION.record, example: REGISTRATION.example };
  return [
    route({
      method: "GET",
      path: "/RegistrationAccessToken",
      id: "listRegistrationAccessTokens",
      tag,
      summary: "List registered Applications and their tokens",
      scopes: ["Settings:Read"],
      paged: true,
      answer: { description: "A page of them, without the token values.", ...answer, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { paging }) => tokens.list(caller, paging),
    }),
    route({
      ...one,
      method: "GET",
      id: "getRegistrationAccessToken",
      summary: "Read the state of an Application's registration access token",
      scopes: ["Settings:Read"],
      answer: { description: "Without the token value.", ...answer },
      handle: (caller, { params: { Id } }) => tokens.read(caller, Id),
    }),
    route({
      ...one,
      method: "POST",
      id: "replaceRegistrationAccessToken",
      summary: "Replace an Application's registration access token (RFC 7592): the answer's `Token`, shown once",
      description: "Only this response contains it. The previous one becomes invalid at once.",
      scopes: ["Settings:Update"],
      answer: {
        description: "The token.",
        ...withSecret(REGISTRATION, "NewRegistrationAccessToken", "Token"),
        headers: NO_STORE,
      },
      handle: (caller, { params: { Id } }) => tokens.replace(caller, Id),
    }),
    route({
      ...one,
      method: "DELETE",
      id: "revokeRegistrationAccessToken",
      summary: "Revoke an Application's registration access token",
      description: "The client keeps working. It can no longer read, change or delete itself.",
      scopes: ["Settings:Update"],
      answer: { description: "The remaining state.", ...answer },
      handle: (caller, { params: { Id } }) => tokens.revoke(caller, Id),
    }),
  ];
}
