import { idParameter, uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { LogoutId } from "../../platform/ids.ts";
import { route } from "../../records/index.ts";
import { LOGOUT } from "./contract.ts";
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
      answer: { description: "A page of logouts.", schema: LOGOUT.record, example: LOGOUT.example, list: true },
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
      answer: { description: "The logout.", schema: LOGOUT.record, example: LOGOUT.example },
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
      answer: {
        description: "The logout.",
        schema: LOGOUT.record,
        example: { ...LOGOUT.example, State: "Pending", EndedOn: null },
      },
      errors: ["Conflict"],
      handle: (caller, { params: { Id, LogoutId } }) => logouts.redeliver(caller, Id, LogoutId),
    }),
  ];
}
