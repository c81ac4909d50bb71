// What a User has allowed Applications: …/User/{Id}/Consents and …/User/{Id}/Consents/{ApplicationId}.

import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { requireMethod } from "../../http/method.ts";
import { readPaging, toPage } from "../../http/paging.ts";
import { API_PATH } from "../../http/paths.ts";
import { type Query, readQuery } from "../../http/query.ts";
import { readId, toRecordId } from "../../http/record-id.ts";
import { requestUrl } from "../../http/request-url.ts";
import type { Families } from "../families/families.ts";
import { CONSENT_RESOURCE_TYPE } from "./resource-type.ts";
import { type Consent, deleteConsent, isUser, listConsents, lockConsent } from "./store.ts";

const RESOURCE = CONSENT_RESOURCE_TYPE.name;

export interface ConsentRoutes {
  sql: Sql;
  families: Families;
  authenticate: Authenticate;
}

export function consentsController({ sql, families, authenticate }: ConsentRoutes) {
  const path = `${API_PATH}/User/:id/Consents`;

  async function list(caller: Caller, userId: number, query: Query): Promise<Response> {
    const { limit, after } = readPaging(query, (text) => toRecordId(text) !== undefined);
    if (!(await isUser(sql, caller.tenantId, userId))) throw new NotFound("There is no User with this Id.");
    const { Items, Next } = await caller.permissions.readable("Settings:Read", RESOURCE, async () => {
      const rows = await listConsents(sql, caller.tenantId, userId, limit, after);
      return toPage(
        rows,
        limit,
        (row) => String(row.clientId),
        (row) => ({ ...toResource(userId, row), row }),
      );
    });
    return Response.json({ Items: Items.map(({ row }) => toRecord(row)), Next });
  }

  /** The application's tokens for this user end as well; the next sign-in asks again. */
  async function revoke(caller: Caller, userId: number, clientId: number): Promise<Consent> {
    return sql.begin(async (tx) => {
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
  }

  return new Elysia()
    .all(
      path,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "GET");
        requireScopes(caller, "Settings:Read");
        return list(caller, readId("User", params.id), readQuery(requestUrl(request).searchParams, []));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:applicationId`,
      async ({ request, params }) => {
        const caller = await authenticate(request);
        requireMethod(request, "DELETE");
        requireScopes(caller, "Settings:Update");
        const clientId = readId("Application", params.applicationId);
        return Response.json(toRecord(await revoke(caller, readId("User", params.id), clientId)));
      },
      { parse: "none" },
    );
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
