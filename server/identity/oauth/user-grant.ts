// The access that a User has granted to an Application, as administrators read it.

import { Type } from "@sinclair/typebox";
import { contract } from "../../platform/http/contract.ts";
import {
  ABSTRACT_LONG,
  derived,
  type LogRow,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  uuid,
} from "../../platform/http/fields.ts";

export const GRANT = contract("Grant", "", {
  User: derived(ABSTRACT_LONG, { example: { Id: 1002, ExternalId: "", Name: "Ana Silva", Type: "User" } }),
  Application: derived(ABSTRACT_LONG, {
    example: { Id: 7, ExternalId: "APP-7", Name: "Payroll", Type: "Application" },
  }),
  Apis: derived(Type.Array(Type.Object({ Id: uuid(), Name: Type.String() })), {
    description: "APIs of the tenant that it can use. Other scopes belong to the entity API and userinfo.",
    example: [{ Id: "0197c6f4-0a1b-7c2d-8e3f-405162738495", Name: "Orders" }],
  }),
  Scopes: readOnly(Type.Array(Type.String()), { example: ["openid", "orders:read"] }),
  Claims: readOnly(Type.Array(Type.String()), {
    description: "Names of claims that it can see in addition to those of its scopes.",
    example: [],
  }),
  Consented: readOnly(Type.Boolean(), {
    description: "false: the Application is, or was, FirstParty, and the User was not asked.",
    example: true,
  }),
  GrantedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  LastUsedOn: serverTimeOrNull({
    description: "When tokens were last issued for it. null: no refresh token.",
    example: "2026-02-28T09:30:00.000Z",
  }),
});
export type UserGrantRecord = RecordOf<typeof GRANT.field>;

export interface UserGrantRow extends LogRow<typeof GRANT.field> {
  userId: number;
  userName: string;
  userExternalId: string;
  clientId: number;
  clientName: string;
  clientExternalId: string;
  resources: string[];
}
