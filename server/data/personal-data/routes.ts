import { Type } from "@sinclair/typebox";
import { exportResponse } from "../../platform/http/export.ts";
import { idTextParameter, uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { logRoutes, route } from "../../records/index.ts";
import { CERTIFICATE, ERASE_DATA, ERASURE, ERASURE_COUNTS } from "./contract.ts";
import type { Erasures } from "./erasures.ts";
import { EXPORT_SCOPES, type PersonalData } from "./service.ts";

const TAG = { name: "Personal data", description: "All data about a User." };

export interface PersonalDataRoutes {
  personalData: PersonalData;
  erasures: Erasures;
}

export function personalDataRoutes({ personalData, erasures }: PersonalDataRoutes): Route[] {
  return [
    route({
      method: "GET",
      path: "/User/{Id}/Export",
      tag: TAG,
      scopes: EXPORT_SCOPES,
      id: "exportUser",
      summary: "Export all data about a User as a file",
      description:
        "A zip archive of JSON files. index.json lists them and the omitted data: secrets and their digests, and " +
        "rows that expire within a day. The other files are arrays: the User, its sessions, identities, second factors, " +
        "consents, grants and roles, the events about it with their deliveries, and its audit events. Policies must " +
        "permit to read the User and its settings; events and audit events that the caller may not read are missing. " +
        "The audit log notes each export.",
      params: { Id: idTextParameter("The User's Id.") },
      answer: {
        description: "The archive, streamed while it is made.",
        schema: Type.String({ format: "binary" }),
        files: ["application/zip"],
      },
      handle: async (caller, { params: { Id } }) => exportResponse(await personalData.export(caller, Id)),
    }),
    route({
      method: "POST",
      path: "/User/{Id}/Erase",
      tag: TAG,
      scopes: ["AccessManager:Erase"],
      id: "eraseUser",
      summary: "Erase all data about a User",
      description:
        "The record and the User's sign-in methods are deleted at once. Receivers get a Deleted event, and an Erased event if " +
        "subscribed, with only Id and External_Id. A workflow then waits for deliveries about the person or cancels them. It " +
        "removes stored payloads and answers, and the key of the audit log's entries. Call it with DryRun first. A second " +
        "call while it is Running changes Deliveries. A User who was deleted earlier can be erased by the former Id, by " +
        "callers who may erase every User.",
      params: { Id: idTextParameter("The User's Id.") },
      body: {
        ...ERASE_DATA,
        description: "Options of the erasure.",
        examples: { count: { DryRun: true }, erase: { Deliveries: "Send" } },
        optional: true,
      },
      answer: {
        description: "The erasure, or with DryRun the counts.",
        schema: Type.Union([ERASURE.record, ERASURE_COUNTS]),
        example: { ...ERASURE.example, State: "Running", EndedOn: null },
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) =>
        input.DryRun ? erasures.preview(caller, Id) : erasures.erase(caller, Id, input),
    }),
    ...logRoutes(ERASURE, erasures, {
      tag: TAG,
      list: { summary: "List erasures", description: "The newest first." },
      read: { summary: "Read an erasure and its progress" },
    }),
    route({
      method: "GET",
      path: "/Erasure/{Id}/Certificate",
      tag: TAG,
      scopes: ["AccessManager:Read"],
      id: "certifyErasure",
      summary: "Read the certificate of an erasure as a signed JWT",
      description: "Signed at each call by a key of the JWKS, typ erasure-certificate+jwt. 409 while it is Running.",
      params: ERASURE_ID,
      answer: { description: "The certificate.", schema: CERTIFICATE, example: { Certificate: "eyJ…" } },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => erasures.certify(caller, Id),
    }),
  ];
}

const ERASURE_ID = { Id: uuidParameter<string>("The erasure's Id.", "Erasure") };
