// …/User/{Id}/Export.

import { Type } from "@sinclair/typebox";
import { route } from "../access/index.ts";
import { exportResponse } from "../http/export.ts";
import { idTextParameter } from "../http/query.ts";
import type { Route } from "../http/route.ts";
import { EXPORT_SCOPES, type PersonalData } from "./service.ts";

const TAG = { name: "Personal data", description: "Everything that is kept about a User." };

export function personalDataRoutes(personalData: PersonalData): Route[] {
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
  ];
}
