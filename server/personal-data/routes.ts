import { Type } from "@sinclair/typebox";
import { route } from "../access/index.ts";
import { exportResponse } from "../http/export.ts";
import { idTextParameter, uuidParameter } from "../http/query.ts";
import type { Route } from "../http/route.ts";
import { CERTIFICATE, ERASE_DATA, ERASURE, ERASURE_COUNTS, EXAMPLE } from "./contract.ts";
import type { Erasures } from "./erasures.ts";
import { EXPORT_SCOPES, type PersonalData } from "./service.ts";

const TAG = { name: "Personal data", description: "All data about a User." };

export function personalDataRoutes({
  personalData,
  erasures,
}: {
  personalData: PersonalData;
  erasures: Erasures;
}): Route[] {
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
        schema: Type.Union([ERASURE, ERASURE_COUNTS]),
        example: { ...EXAMPLE, State: "Running", EndedOn: null },
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id }, input }) =>
        input.DryRun ? erasures.preview(caller, Id) : erasures.erase(caller, Id, input),
    }),
    route({
      method: "GET",
      path: "/Erasure",
      tag: TAG,
      scopes: ["AccessManager:Read"],
      id: "listErasure",
      summary: "List erasures",
      description: "The newest first.",
      paged: true,
      answer: { description: "A page of erasures.", schema: ERASURE, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { paging }) => erasures.list(caller, paging),
    }),
    route({
      method: "GET",
      path: "/Erasure/{Id}",
      tag: TAG,
      scopes: ["AccessManager:Read"],
      id: "getErasure",
      summary: "Read an erasure and its progress",
      params: ERASURE_ID,
      answer: { description: "The erasure.", schema: ERASURE, example: EXAMPLE },
      handle: (caller, { params: { Id } }) => erasures.read(caller, Id),
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
