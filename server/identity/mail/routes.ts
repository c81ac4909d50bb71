import { uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { logRoutes, route } from "../../records/index.ts";
import { MAIL, MAIL_FILTERS, TEST_MAIL } from "./contract.ts";
import type { Mails } from "./service.ts";

export function mailRoutes(mails: Mails): Route[] {
  const shared = { method: "POST", tag: { name: MAIL.name, description: MAIL.texts.group } } as const;
  const waiting = { ...MAIL.example, State: "Waiting", EndedOn: null };
  return [
    ...logRoutes(MAIL, mails, {
      filters: MAIL_FILTERS,
      list: { summary: "List mails", description: "Newest first, with their attempts." },
      read: { summary: "Read a mail with its attempts" },
    }),
    route({
      ...shared,
      path: "/Mail",
      id: "sendTestMail",
      summary: "Send a test mail",
      description: "409 if the installation sends no mail.",
      scopes: ["Settings:Update"],
      body: { ...TEST_MAIL, description: "The address.", examples: { one: { To: "ana@example.com" } } },
      answer: { description: "The mail.", schema: MAIL.record, example: { ...waiting, Kind: "Test" } },
      errors: ["Conflict", "TooManyRequests"],
      handle: (caller, { input }) => mails.sendTest(caller, input.To ?? ""),
    }),
    route({
      ...shared,
      path: "/Mail/{Id}/Resend",
      id: "resendMail",
      summary: "Send a mail again that was not sent",
      description: "With all attempts. 409 while it is Waiting, after it was Sent, and after its link has expired.",
      scopes: ["Settings:Update"],
      params: { Id: uuidParameter("The mail's Id.", MAIL.name) },
      answer: { description: "The mail.", schema: MAIL.record, example: waiting },
      errors: ["Conflict"],
      handle: (caller, { params: { Id } }) => mails.resend(caller, Id),
    }),
  ];
}
