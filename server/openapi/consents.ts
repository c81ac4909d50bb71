// What users have allowed applications.

import { API_PATH } from "../http/paths.ts";
import { json, operation, pageOf } from "./operation.ts";
import { parameterRef } from "./parameters.ts";
import { type Area, type Parameter, type Schema, schemaRef } from "./types.ts";

const TAG = "Consents";
const PATH = `${API_PATH}/User/{Id}/Consents`;

export function consents(): Area {
  return {
    tags: [{ name: TAG, description: "What users have allowed applications." }],
    paths: {
      [PATH]: {
        get: operation({
          id: "listConsents",
          tag: TAG,
          summary: "List what a User has allowed Applications",
          description: "Without those that the caller may not read.",
          scopes: ["Settings:Read"],
          parameters: [id("Id", "The User's Id."), parameterRef("Limit"), parameterRef("Cursor")],
          answers: { 200: json("A page of consents.", pageOf(schemaRef("Consent")), { Items: [EXAMPLE], Next: null }) },
          errors: ["BadInput", "ServiceBusy", "NotFound"],
        }),
      },
      [`${PATH}/{ApplicationId}`]: {
        delete: operation({
          id: "deleteConsent",
          tag: TAG,
          summary: "Revoke what a User has allowed an Application",
          description: "The Application's tokens for this User end as well; the next sign-in asks again.",
          scopes: ["Settings:Update"],
          parameters: [id("Id", "The User's Id."), id("ApplicationId", "The Application's Id.")],
          answers: { 200: json("What was allowed.", schemaRef("Consent"), EXAMPLE) },
          errors: ["NotFound"],
        }),
      },
    },
    schemas: { Consent: CONSENT },
  };
}

function id(name: string, description: string): Parameter {
  return { name, in: "path", required: true, description, schema: { type: "string", pattern: "^[1-9][0-9]{0,15}$" } };
}

const EXAMPLE = {
  Application: { Id: 7, ExternalId: "APP-7", Name: "Payroll", Type: "Application" },
  Scopes: ["openid", "profile"],
  GrantedOn: "2026-01-31T12:00:00.000Z",
};

const CONSENT: Schema = {
  type: "object",
  required: Object.keys(EXAMPLE),
  properties: {
    Application: schemaRef("AbstractLong"),
    Scopes: { type: "array", items: { type: "string" } },
    GrantedOn: { type: "string", format: "date-time" },
  },
};
