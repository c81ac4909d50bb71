// An Application's credentials: …/Application/{Id}/Credentials and …/Application/{Id}/Secrets.

import { Type } from "@sinclair/typebox";
import { route } from "../../access/index.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { orNull, time, uuid } from "../../http/fields.ts";
import { idParameter, textParameter } from "../../http/query.ts";
import { type Route, withPost } from "../../http/route.ts";
import { CREDENTIALS, SECRET } from "./contract.ts";
import type { ClientCredentials } from "./service.ts";

export function credentialRoutes(credentials: ClientCredentials): Route[] {
  const application = "/Application/{Id}";
  const params = { Id: idParameter("The Application's Id, which is its client_id.", "Application") };
  const tag = { name: "Credentials", description: "The OAuth client settings of an Application." };
  const read = { method: "GET" as const, tag, params, scopes: ["Settings:Read"] as const };
  const update = { tag, params, scopes: ["Settings:Update"] as const };
  const answer = { schema: CREDENTIALS.record, example: CREDENTIALS.example };
  return [
    route({
      ...read,
      path: `${application}/Credentials`,
      id: "getCredentials",
      summary: "Read an Application's credentials",
      conditions: true,
      answer: { description: "The credentials.", ...answer },
      handle: (caller, { params: { Id } }) => credentials.read(caller, Id),
    }),
    ...withPost(
      route({
        ...update,
        method: "PATCH",
        path: `${application}/Credentials`,
        id: "changeCredentials",
        summary: "Change an Application's credentials",
        description: "409 if the calling client would lose its own grant or Settings scopes.",
        conditions: true,
        body: {
          ...CREDENTIALS,
          description: "Absent fields stay unchanged, null resets a field.",
          examples: {
            confidential: { RedirectUris: CREDENTIALS.example.RedirectUris },
            public: { ClientType: "public", RedirectUris: ["http://localhost:3001/callback"] },
            native: {
              ClientType: "native",
              RedirectUris: ["http://127.0.0.1/callback"],
              GrantTypes: ["authorization_code"],
            },
          },
        },
        answer: { description: "The credentials after the change.", ...answer },
        errors: ["Conflict"],
        handle: (caller, { params: { Id }, input, conditions, sent }) =>
          credentials.change(caller, Id, input, conditions, sent),
      }),
      "postCredentials",
    ),
    route({
      ...read,
      path: `${application}/Secrets`,
      id: "listSecrets",
      summary: "List an Application's secrets, without their values",
      answer: { description: "All of them.", schema: SECRET_RECORD, example: EXAMPLE, list: true },
      handle: (caller, { params: { Id } }) => credentials.listSecrets(caller, Id),
    }),
    route({
      ...update,
      method: "POST",
      path: `${application}/Secrets`,
      id: "makeSecret",
      summary: "Create a secret",
      description: "Only this response contains it. Two can be valid at a time, for replacement; a third is 409.",
      body: {
        ...SECRET,
        description: "Optional.",
        optional: true,
        examples: { named: { Name: EXAMPLE.Name } },
      },
      answer: {
        description: "The secret.",
        schema: NEW_SECRET,
        example: { ...EXAMPLE, LastUsedOn: null, Secret: "<SECRET>" },
        headers: NO_STORE,
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) => credentials.makeSecret(caller, Id, input),
    }),
    route({
      ...update,
      method: "DELETE",
      path: `${application}/Secrets/{SecretId}`,
      params: { ...params, SecretId: textParameter("The secret's Id.", uuid()) },
      id: "deleteSecret",
      summary: "Delete a secret",
      description: "409 for the last secret of the calling client.",
      answer: { description: "The deleted secret, without its value.", schema: SECRET_RECORD, example: EXAMPLE },
      errors: ["Conflict"],
      handle: (caller, { params: { Id, SecretId } }) => credentials.deleteSecret(caller, Id, SecretId),
    }),
  ];
}

const SECRET_RECORD = Type.Object(
  {
    Id: uuid(),
    Name: Type.String(),
    CreatedOn: time(),
    LastUsedOn: orNull(time(), {
      description: "The last use, accurate to an hour. null: never used.",
    }),
  },
  { $id: "Secret" },
);
const NEW_SECRET = Type.Object(
  { ...SECRET_RECORD.properties, Secret: Type.String({ description: "It is never shown again." }) },
  { $id: "NewSecret" },
);
const EXAMPLE = {
  Id: "0197c6f4-0a1b-7c2d-8e3f-405162738495",
  Name: "payroll, production",
  CreatedOn: "2026-01-31T12:00:00.000Z",
  LastUsedOn: "2026-02-28T09:30:00.000Z",
};
