// An Application's credentials: …/Application/{Id}/Credentials and …/Application/{Id}/Secrets.

import { NO_STORE } from "../../../platform/http/conditions.ts";
import { withSecret } from "../../../platform/http/contract.ts";
import { uuid } from "../../../platform/http/fields.ts";
import { idParameter, textParameter } from "../../../platform/http/query.ts";
import { type Route, withPost } from "../../../platform/http/route.ts";
import { route } from "../../../records/index.ts";
import { CREDENTIALS } from "./contract.ts";
import { SECRET, SECRET_DATA } from "./secret.ts";
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
      answer: { description: "All of them.", schema: SECRET.record, example: SECRET.example, list: true },
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
        ...SECRET_DATA,
        description: "Optional.",
        optional: true,
        examples: { named: { Name: SECRET.example.Name } },
      },
      answer: {
        description: "The secret.",
        schema: NEW_SECRET.schema,
        example: { ...NEW_SECRET.example, LastUsedOn: null },
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
      answer: { description: "The deleted secret, without its value.", schema: SECRET.record, example: SECRET.example },
      errors: ["Conflict"],
      handle: (caller, { params: { Id, SecretId } }) => credentials.deleteSecret(caller, Id, SecretId),
    }),
  ];
}

const NEW_SECRET = withSecret(SECRET, "NewSecret", "Secret");
