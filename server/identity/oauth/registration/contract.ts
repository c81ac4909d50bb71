import { Type } from "@sinclair/typebox";
import { contract } from "../../../platform/http/contract.ts";
import {
  ABSTRACT_LONG,
  derived,
  type LogRow,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
} from "../../../platform/http/fields.ts";

/** A registered Application with the state of its token. */
export const REGISTRATION = contract("RegistrationAccessToken", "", {
  Application: derived(ABSTRACT_LONG, {
    example: { Id: 1007, ExternalId: "", Name: "Payroll", Type: "Application" },
  }),
  Open: readOnly(Type.Boolean(), { description: "Registered without an initial access token.", example: false }),
  RegisteredOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  MadeOn: serverTimeOrNull({
    description: "When its token was created. null: revoked.",
    example: "2026-01-31T12:00:00.000Z",
  }),
  LastUsedOn: serverTimeOrNull({
    description: "The token's last use, accurate to an hour.",
    example: "2026-02-28T09:30:00.000Z",
  }),
  AdministratorSet: readOnly(Type.Array(Type.String()), {
    description:
      "Fields of Credentials, Name and WebSiteURL of the Application, and Secrets, changed by administrators. " +
      "With its token the client can only narrow these.",
    example: ["FirstParty", "Scopes"],
  }),
});
export type AccessTokenRecord = RecordOf<typeof REGISTRATION.field>;
export type StoredAccessToken = LogRow<typeof REGISTRATION.field>;
