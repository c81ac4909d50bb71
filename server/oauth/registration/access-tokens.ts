// Registration access tokens (RFC 7592) for administrators: …/RegistrationAccessToken and
// …/Application/{Id}/RegistrationAccessToken.

import { Type } from "@sinclair/typebox";
import { type Permitted, route, type Shown, type ShownPage } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/sql.ts";
import { NotFound } from "../../errors.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { ABSTRACT_LONG, orNull, time } from "../../http/fields.ts";
import { idParameter, type Paging } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import type { TenantId } from "../../ids.ts";
import { digestOf, newOpaqueValue } from "../../signin/index.ts";
import { CREDENTIALS } from "../clients/contract.ts";
import { lockApplication } from "../clients/store.ts";
import {
  findRegistration,
  listRegistrations,
  type RegistrationRow,
  setRegistrationToken,
} from "./access-tokens.store.ts";

/** Policies evaluate a token like the credentials that it can change. */
const RESOURCE = CREDENTIALS.name;

export type AccessTokenRecord = ReturnType<typeof toRecord>;

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

function toRecord({ applicationId, name, externalId, isOpen, set, ...times }: RegistrationRow) {
  return {
    Application: { Id: applicationId, ExternalId: externalId, Name: name, Type: "Application" },
    Open: isOpen,
    RegisteredOn: times.registeredOn.toISOString(),
    MadeOn: times.madeOn?.toISOString() ?? null,
    LastUsedOn: times.usedOn?.toISOString() ?? null,
    AdministratorSet: set,
  };
}

function toResource({ applicationId, credentials }: RegistrationRow) {
  return { ...CREDENTIALS.toRecord(credentials), Id: String(applicationId) };
}

export function registrationAccessTokenRoutes(tokens: RegistrationAccessTokens): Route[] {
  const path = "/Application/{Id}/RegistrationAccessToken";
  const tag = { name: "Client registration", description: "Tokens that let applications register themselves." };
  const one = { tag, path, params: { Id: idParameter("The Application's Id.", "Application") } };
  const answer = { schema: TOKEN, example: EXAMPLE };
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
        schema: NEW_TOKEN,
        example: { ...EXAMPLE, Token: "<TOKEN>" },
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

const TOKEN = Type.Object(
  {
    Application: ABSTRACT_LONG,
    Open: Type.Boolean({ description: "Registered without an initial access token." }),
    RegisteredOn: time(),
    MadeOn: orNull(time(), { description: "When its token was created. null: revoked." }),
    LastUsedOn: orNull(time(), { description: "The token's last use, accurate to an hour." }),
    AdministratorSet: Type.Array(Type.String(), {
      description:
        "Fields of Credentials, Name and WebSiteURL of the Application, and Secrets, changed by administrators. " +
        "With its token the client can only narrow these.",
    }),
  },
  { $id: "RegistrationAccessToken" },
);
const NEW_TOKEN = Type.Object(
  { ...TOKEN.properties, Token: Type.String({ description: "It is never shown again." }) },
  { $id: "NewRegistrationAccessToken" },
);
const EXAMPLE = {
  Application: { Id: 1007, ExternalId: "", Name: "Payroll", Type: "Application" },
  Open: false,
  RegisteredOn: "2026-01-31T12:00:00.000Z",
  MadeOn: "2026-01-31T12:00:00.000Z",
  LastUsedOn: "2026-02-28T09:30:00.000Z",
  AdministratorSet: ["FirstParty", "Scopes"],
};
