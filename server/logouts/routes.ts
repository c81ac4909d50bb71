import { Type } from "@sinclair/typebox";
import { LOGOUT_STATES } from "../../workflows/contract.ts";
import { route } from "../access/index.ts";
import { orNull, time, uuid, word } from "../http/fields.ts";
import { idParameter, uuidParameter } from "../http/query.ts";
import type { Route } from "../http/route.ts";
import type { LogoutId } from "../ids.ts";
import type { Logouts } from "./service.ts";

export const LOGOUT_ID = uuidParameter<LogoutId>("The logout's Id.", "logout");

export function logoutRoutes(logouts: Logouts): Route[] {
  const path = "/Application/{Id}/Logouts";
  const tag = { name: "Logouts", description: "Notifications of Applications that a user's session has ended." };
  const application = { Id: idParameter("The Application's Id, which is its client_id.", "Application") };
  const params = { ...application, LogoutId: LOGOUT_ID };
  return [
    route({
      method: "GET",
      path,
      id: "listLogouts",
      tag,
      summary: "List the logout notifications of an Application",
      description: "Newest first, with their attempts. Kept for 30 days after they end.",
      scopes: ["Settings:Read"],
      params: application,
      paged: true,
      answer: { description: "A page of logouts.", schema: LOGOUT, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { params: { Id }, paging }) => logouts.list(caller, Id, paging),
    }),
    route({
      method: "GET",
      path: `${path}/{LogoutId}`,
      id: "getLogout",
      tag,
      summary: "Read a logout with its attempts",
      scopes: ["Settings:Read"],
      params,
      answer: { description: "The logout.", schema: LOGOUT, example: EXAMPLE },
      handle: (caller, { params: { Id, LogoutId } }) => logouts.read(caller, Id, LogoutId),
    }),
    route({
      method: "POST",
      path: `${path}/{LogoutId}/Redeliver`,
      id: "redeliverLogout",
      tag,
      summary: "Send a logout again",
      description:
        "To the Application's current address, with a new token and all attempts again. 409 while it is in progress, " +
        "and for an Application without BackchannelLogoutUri.",
      scopes: ["Settings:Update"],
      params,
      answer: { description: "The logout.", schema: LOGOUT, example: { ...EXAMPLE, State: "Pending", EndedOn: null } },
      errors: ["Conflict"],
      handle: (caller, { params: { Id, LogoutId } }) => logouts.redeliver(caller, Id, LogoutId),
    }),
  ];
}

const ATTEMPT = Type.Object({
  Number: Type.Integer({ format: "int32", minimum: 1 }),
  StartedOn: time(),
  DurationMs: orNull(Type.Integer({ format: "int32", minimum: 0 }), {
    description: "null: in progress, or lost with its worker.",
  }),
  StatusCode: orNull(Type.Integer({ format: "int32" }), { description: "null: no answer." }),
  Failure: orNull(Type.String(), { description: "The failure in one word; null: the receiver answered." }),
  Response: orNull(
    Type.Object({
      Headers: Type.String(),
      Body: Type.String({ description: "Its first 4 KiB, or the error if there was no answer." }),
    }),
  ),
});

const LOGOUT = Type.Object(
  {
    Id: uuid(),
    UserId: Type.Integer({ format: "int32", description: "The user who was signed out; the User may be deleted." }),
    SessionId: uuid("The `sid` of the Application's id_tokens."),
    State: word(LOGOUT_STATES),
    Reason: orNull(Type.String(), { description: "Why it was not delivered; null: delivered or new." }),
    Run: Type.Integer({ format: "int32", minimum: 1, description: "Counts redeliveries." }),
    CreatedOn: time("When the session ended."),
    EndedOn: orNull(time(), { description: "null: in progress." }),
    WorkflowId: Type.String(),
    WorkflowUrl: Type.String({ format: "uri", description: "The run in the Temporal UI." }),
    Attempts: Type.Array(ATTEMPT),
  },
  { $id: "Logout" },
);

const EXAMPLE = {
  Id: "5b0d3f0e-4c53-4b0e-9d52-0d4f3a1f6b7c",
  UserId: 12,
  SessionId: "0197c6f4-0a1b-7c2d-8e3f-405162738495",
  State: "Delivered",
  Reason: null,
  Run: 1,
  CreatedOn: "2026-01-31T12:00:00.000Z",
  EndedOn: "2026-01-31T12:00:00.120Z",
  WorkflowId: "Application/7/Logout/5b0d3f0e-4c53-4b0e-9d52-0d4f3a1f6b7c",
  WorkflowUrl:
    "http://localhost:8233/namespaces/default/workflows/Application%2F7%2FLogout%2F5b0d3f0e-4c53-4b0e-9d52-0d4f3a1f6b7c",
  Attempts: [
    {
      Number: 1,
      StartedOn: "2026-01-31T12:00:00.080Z",
      DurationMs: 38,
      StatusCode: 200,
      Failure: null,
      Response: { Headers: "content-type: text/plain", Body: "ok" },
    },
  ],
};
