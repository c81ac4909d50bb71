// The audit log.

import {
  ACTOR_TYPES,
  AUDIT_KINDS,
  EXPORT_FORMATS,
  FAILURES_PER_HOUR,
  MOST_EXPORTED,
  SUBJECT_TYPES,
} from "../audit/index.ts";
import { API_PATH } from "../http/paths.ts";
import { headersOf, json, operation, pageOf } from "./operation.ts";
import { filter, parameterRef } from "./parameters.ts";
import { type Area, type Schema, schemaRef } from "./types.ts";

const TAG = "AuditEvent";
const PATH = `${API_PATH}/AuditEvent`;
const UUID: Schema = { type: "string", format: "uuid" };
const TIME: Schema = { type: "string", format: "date-time" };

export function audit(): Area {
  return {
    tags: [
      {
        name: TAG,
        description:
          "The audit log: sign-ins and changes of credentials, policies and connections, by whom and from where. " +
          "Nothing changes or removes what stands there.",
      },
    ],
    paths: {
      [PATH]: {
        get: operation({
          id: "listAuditEvent",
          tag: TAG,
          summary: "List what was done",
          description:
            "The newest first, without those that the caller may not read. Of failures that strangers can cause " +
            `there are ${FAILURES_PER_HOUR} an hour at most; a Failures.Omitted says that there were more.`,
          scopes: ["Settings:Read"],
          parameters: [parameterRef("Limit"), parameterRef("Cursor"), ...FILTERS],
          answers: { 200: json("A page of the log.", pageOf(schemaRef(TAG)), { Items: [EXAMPLE], Next: null }) },
          errors: ["BadInput", "ServiceBusy"],
        }),
      },
      [`${PATH}/Export`]: {
        get: operation({
          id: "exportAuditEvent",
          tag: TAG,
          summary: "The same as a file",
          description:
            `At most ${MOST_EXPORTED.toLocaleString("en")} rows; what would have more is 400. In CSV a text that a ` +
            "spreadsheet could take for a formula begins with an apostrophe.",
          scopes: ["Settings:Read"],
          parameters: [filter("Format", "CSV unless given.", { type: "string", enum: EXPORT_FORMATS }), ...FILTERS],
          answers: {
            200: {
              description: "The file, the newest row first.",
              headers: headersOf(["X-Request-Id"]),
              content: {
                "text/csv": { schema: { type: "string" } },
                "application/x-ndjson": { schema: { type: "string", description: "An AuditEvent a line." } },
              },
            },
          },
          errors: ["BadInput", "ServiceBusy"],
        }),
      },
      [`${PATH}/{Id}`]: {
        get: operation({
          id: "getAuditEvent",
          tag: TAG,
          summary: "Read one row of the audit log",
          scopes: ["Settings:Read"],
          parameters: [{ name: "Id", in: "path", required: true, description: "The row's Id.", schema: UUID }],
          answers: { 200: json("The row.", schemaRef(TAG), EXAMPLE) },
          errors: ["NotFound"],
        }),
      },
    },
    schemas: { AuditEvent: AUDIT_EVENT },
  };
}

const FILTERS = [
  filter("Kind", "What was done.", { type: "string", enum: AUDIT_KINDS }),
  filter("ActorType", "What did it.", { type: "string", enum: ACTOR_TYPES }),
  filter("ActorId", "Who did it; needs ActorType.", { type: "string", pattern: "^[1-9][0-9]{0,15}$" }),
  filter("SubjectType", "What it was done to.", { type: "string", enum: SUBJECT_TYPES }),
  filter("SubjectId", "Whom or which it was done to; needs SubjectType.", { type: "string" }),
  filter("From", "At this time or later.", TIME),
  filter("To", "Before this time.", TIME),
];

const EXAMPLE = {
  Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  OccurredOn: "2026-01-31T12:00:00.000Z",
  Kind: "Credentials.Changed",
  Outcome: "Success",
  Actor: { Type: "Application", Id: "1001" },
  ClientId: "1001",
  Address: "203.0.113.7",
  UserAgent: "curl/8.14.1",
  Subject: { Type: "Application", Id: "1002" },
  Details: { Changed: ["RedirectUris", "Scopes"], Scopes: { Added: ["email"], Removed: [] } },
  RequestKey: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
};

function reference(types: readonly string[], description: string): Schema {
  return {
    type: ["object", "null"],
    description,
    required: ["Type", "Id"],
    properties: { Type: { type: "string", enum: types }, Id: { type: "string" } },
  };
}

const AUDIT_EVENT: Schema = {
  type: "object",
  required: Object.keys(EXAMPLE),
  properties: {
    Id: UUID,
    OccurredOn: TIME,
    Kind: { type: "string", enum: AUDIT_KINDS },
    Outcome: { type: "string", enum: ["Success", "Failure"] },
    Actor: reference(ACTOR_TYPES, "Who did it; null: nobody who has proved who they are."),
    ClientId: { type: ["string", "null"], description: "The Application it was done by or for." },
    Address: { type: "string", description: "Where the request came from." },
    UserAgent: { type: "string", description: "The head of what the caller calls itself." },
    Subject: reference(SUBJECT_TYPES, "What it was done to; null: no record, such as an unknown user."),
    Details: {
      type: "object",
      description:
        "What there is to say beside it. Of a change, Changed names the fields; values stand there only of fields " +
        "that hold neither secrets nor personal data.",
    },
    RequestKey: { type: "string", description: "The request's key; the log has it too." },
  },
};
