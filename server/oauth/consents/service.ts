// What a User has allowed Applications, as an administrator sees and revokes it.

import type { Permitted, Shown, ShownPage } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import type { Paging } from "../../http/paging.ts";
import { readId } from "../../http/record-id.ts";
import type { Families } from "../families/families.ts";
import { CONSENT_RESOURCE_TYPE } from "./resource-type.ts";
import { type Consent, deleteConsent, isUser, listConsents, lockConsent } from "./store.ts";

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

export function createConsents(sql: Sql, families: Families): Consents {
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
        await deleteConsent(tx, caller.tenantId, userId, clientId);
        await families.revoke(tx, caller.tenantId, { userId, clientId });
        await recordAudit(tx, caller.tenantId, caller, {
          kind: "Consent.Revoked",
          subject: { type: "User", id: userId },
          details: { ApplicationId: String(clientId), Scopes: consent.scopes },
        });
        return consent;
      });
      const resource = toResource(userId, revoked);
      return (await caller.gate.written(RESOURCE, toRecord(revoked), {}, { resource })).record;
    },
  };
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
