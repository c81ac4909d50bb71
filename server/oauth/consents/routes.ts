// …/User/{Id}/Consents and …/User/{Id}/Consents/{ApplicationId}.

import { Type } from "@sinclair/typebox";
import { ABSTRACT_LONG, time } from "../../http/fields.ts";
import { idTextParameter } from "../../http/inputs.ts";
import { type Route, route } from "../../http/route.ts";
import type { Consents } from "./service.ts";

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
