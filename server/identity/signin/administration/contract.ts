// A User's sign-in data, as administrators read it.

import { Type } from "@sinclair/typebox";
import { contract } from "../../../platform/http/contract.ts";
import {
  ABSTRACT_TEXT,
  derived,
  type LogRow,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  uuid,
  word,
} from "../../../platform/http/fields.ts";
import { deviceOf } from "../device-name.ts";

export const RESET = contract("PasswordReset", "", {
  Url: readOnly(Type.String(), {
    description: "Give it only to the User.",
    example: "https://id.example.com/account/reset?token=Xb3…",
  }),
  ExpiresOn: serverTime({ example: "2026-01-31T13:00:00.000Z" }),
});

export const FACTOR = contract("SecondFactor", "", {
  Type: derived(word(["TOTP"]), { example: "TOTP" }, () => "TOTP" as const),
  EnrolledOn: serverTime({ column: "since", example: "2026-01-31T12:00:00.000Z" }),
  RecoveryCodes: readOnly(Type.Integer({ format: "int32" }), { description: "Unused recovery codes.", example: 10 }),
});
export type FactorRecord = RecordOf<typeof FACTOR.field>;

export const PASSKEY = contract("Passkey", "", {
  Id: readOnly(uuid(), { example: "0197c6f3-0a1b-7c2d-8e3f-405162738495" }),
  Name: readOnly(Type.String(), { description: "The browser that made it.", example: "Chrome on Windows" }),
  Is_Synced: readOnly(Type.Boolean(), {
    description: "Whether copies of it are kept on other devices.",
    column: "isSynced",
    example: true,
  }),
  CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  LastUsedOn: serverTimeOrNull({ description: "null: never.", example: "2026-01-31T12:30:00.000Z" }),
});
export type PasskeyRecord = RecordOf<typeof PASSKEY.field>;

export const SESSION = contract("Session", "", {
  Id: readOnly(uuid(), { example: "0197c6f3-0a1b-7c2d-8e3f-405162738495" }),
  Device: derived(
    Type.String(),
    { description: "The browser's name.", column: "userAgent", example: "Firefox on Linux" },
    deviceOf,
  ),
  UserAgent: readOnly(Type.String(), {
    description: "The shortened User-Agent.",
    example: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  }),
  Address: readOnly(Type.String(), {
    description: "The address of the sign-in; for IPv6 the /64 network.",
    example: "203.0.113.7",
  }),
  StartedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  LastSeen: serverTime({ description: "Accurate to a minute.", example: "2026-01-31T12:30:00.000Z" }),
  Amr: readOnly(Type.Array(Type.String()), {
    description: "How the User was authenticated (RFC 8176).",
    example: ["pwd", "otp", "mfa"],
  }),
  Acr: readOnly(word(["1", "2"]), { description: "The number of factors.", example: "2" }),
});
export type SessionRecord = RecordOf<typeof SESSION.field>;
export type UserSession = LogRow<typeof SESSION.field>;

export const IDENTITY = contract("Identity", "", {
  Id: derived(Type.String(), { example: "mJ0mVb5x2qg0V0l1sZbX1m3h0rRj1pTq8v7wqF3bO0k" }),
  IdentityProvider: derived(ABSTRACT_TEXT, {
    example: { Id: "1001", ExternalId: "", Name: "Contoso", Type: "IdentityProvider" },
  }),
  Subject: readOnly(Type.String(), { description: "The User's sub at the provider.", example: "248289761001" }),
  LinkedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  Is_Usable: derived(Type.Boolean(), {
    description: "Whether the provider is active and its issuer unchanged since the link.",
    example: true,
  }),
});
export type IdentityRecord = RecordOf<typeof IDENTITY.field>;
