// What a User has allowed Applications, as an administrator sees and revokes it.

import { Type } from "@sinclair/typebox";
import { type Permitted, route, type Shown, type ShownPage } from "../../access/index.ts";
import { type Origin, recordAudit } from "../../audit/index.ts";
import type { Sql, Transaction } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { ABSTRACT_LONG, time } from "../../http/fields.ts";
import { idTextParameter, type Paging, readId } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import type { TenantId } from "../../tenant-id.ts";
import { CONSENT_RESOURCE_TYPE } from "../resource-types.ts";
import type { Families } from "../tokens/families.ts";
import type { Revocations } from "../tokens/revoke.ts";
import { type Consent, deleteConsent, isUser, listConsents, lockConsent } from "./consents.store.ts";

const RESOURCE = CONSENT_RESOURCE_TYPE.name;

export type ConsentRecord = ReturnType<typeof toRecord>;

/** Ids are as a path has them. */
export interface Consents {
  /**
   * By the Applications' Ids, without those that the caller may not read.
   * @throws Permission, NotFound, BadInput, ServiceBusy
   */
  list(caller: Permitted<"Settings:Read">, userId: string, paging: Paging): Promise<ShownPage<ConsentRecord>>;
  /**
   * The Application's tokens for this User end as well; the next sign-in asks again.
   * @returns what was allowed, as far as the caller may see it
   * @throws Permission, NotFound
   */
  revoke(caller: Permitted<"Settings:Update">, userId: string, applicationId: string): Promise<Shown<ConsentRecord>>;
}

export function createConsents(sql: Sql, families: Families, revocations: Pick<Revocations, "reload">): Consents {
  return {
    async list(caller, userIdText, paging) {
      const userId = readId("User", userIdText);
      if (!(await isUser(sql, caller.tenantId, userId))) throw new NotFound("There is no User with this Id.");
      return caller.gate.list({
        type: RESOURCE,
        name: `User/${userId}/Consents`,
        paging,
        read: (limit, after) => listConsents(sql, caller.tenantId, userId, limit, after),
        id: (row) => String(row.clientId),
        resource: (row) => toResource(userId, row),
        item: toRecord,
      });
    },

    async revoke(caller, userIdText, applicationIdText) {
      const clientId = readId("Application", applicationIdText);
      const userId = readId("User", userIdText);
      const revoked = await sql.beginFor(caller.tenantId, async (tx) => {
        const consent = await lockConsent(tx, caller.tenantId, userId, clientId);
        if (!consent) throw new NotFound("The User has allowed this Application nothing.");
        caller.permissions.require("Settings:Update", RESOURCE, toResource(userId, consent));
        await endConsent(tx, families, caller.tenantId, { userId, clientId }, consent, caller);
        return consent;
      });
      await revocations.reload();
      const resource = toResource(userId, revoked);
      return (await caller.gate.written(RESOURCE, toRecord(revoked), {}, { resource })).record;
    },
  };
}

/** With all tokens that came of it. @param origin who ends it */
export async function endConsent(
  tx: Transaction,
  families: Families,
  tenantId: TenantId,
  { userId, clientId }: { userId: number; clientId: number },
  { scopes }: Pick<Consent, "scopes">,
  origin: Origin,
): Promise<void> {
  await deleteConsent(tx, tenantId, userId, clientId);
  await families.revoke(tx, tenantId, { userId, clientId });
  await recordAudit(tx, tenantId, origin, {
    kind: "Consent.Revoked",
    subject: { type: "User", id: userId },
    details: { ApplicationId: String(clientId), Scopes: scopes },
  });
}

function toRecord({ clientId, clientName, clientExternalId, scopes, grantedOn }: Consent) {
  return {
    Application: { Id: clientId, ExternalId: clientExternalId, Name: clientName, Type: "Application" },
    Scopes: scopes,
    GrantedOn: grantedOn.toISOString(),
  };
}

function toResource(userId: number, consent: Consent) {
  return { ...toRecord(consent), UserId: userId, Key: `${userId}/${consent.clientId}` };
}

// …/User/{Id}/Consents and …/User/{Id}/Consents/{ApplicationId}.

export function consentRoutes(consents: Consents): Route[] {
  const path = "/User/{Id}/Consents";
  const tag = { name: "Consents", description: "What users have allowed applications." };
  const user = { Id: idTextParameter("The User's Id.") };
  return [
    route({
      method: "GET",
      path,
      id: "listConsents",
      tag,
      summary: "List what a User has allowed Applications",
      description: "Without those that the caller may not read.",
      scopes: ["Settings:Read"],
      params: user,
      paged: true,
      answer: { description: "A page of consents.", schema: CONSENT, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { params, paging }) => consents.list(caller, params.Id, paging),
    }),
    route({
      method: "DELETE",
      path: `${path}/{ApplicationId}`,
      id: "deleteConsent",
      tag,
      summary: "Revoke what a User has allowed an Application",
      description: "The Application's tokens for this User end as well; the next sign-in asks again.",
      scopes: ["Settings:Update"],
      params: { ...user, ApplicationId: idTextParameter("The Application's Id.") },
      answer: { description: "What was allowed.", schema: CONSENT, example: EXAMPLE },
      handle: (caller, { params }) => consents.revoke(caller, params.Id, params.ApplicationId),
    }),
  ];
}

const CONSENT = Type.Object(
  { Application: ABSTRACT_LONG, Scopes: Type.Array(Type.String()), GrantedOn: time() },
  { $id: "Consent" },
);

const EXAMPLE = {
  Application: { Id: 7, ExternalId: "APP-7", Name: "Payroll", Type: "Application" },
  Scopes: ["openid", "profile"],
  GrantedOn: "2026-01-31T12:00:00.000Z",
};
