import { Type } from "@sinclair/typebox";
import {
  type Field,
  field,
  type InputOf,
  integer,
  momentOrNull,
  oneOf,
  orNull,
  type RowOf,
  readOnly,
  SET_BY_SERVER,
  time,
  title,
  UUID,
} from "../../platform/http/fields.ts";
import { isMailAddress, MAX_MAIL_ADDRESS } from "../../platform/mail-address.ts";
import { LIMIT_NAMES, LIMITS, type LimitName, MAX_BOUND } from "../../platform/tenant-limits.ts";
import { record, SCOPE_LIST, SCOPE_TEXTS, SETTING, USER_ATTRIBUTES } from "../../records/index.ts";
import { texts } from "../../ui/index.ts";
import { BRANDING_FIELDS } from "../branding/fields.ts";
import { DOCUMENT_MODES, REGISTRATION_MODES } from "../oauth/registration/store.ts";
import { OWN_TEXTS } from "./own-texts.ts";
import { PEOPLE_FIELDS } from "./people-fields.ts";

const MAX_DAYS = 36_500;
/** Of authenticators. */
const MAX_MODELS = 100;

/** null: the installation's. */
const LIMIT_FIELDS = Object.fromEntries(
  LIMIT_NAMES.map((name) => {
    const { description, unit, variable } = LIMITS[name];
    const field = integer(1, MAX_BOUND, unit, {
      description: `${description}; null: the installation's ${variable}, which is also the maximum.`,
      audit: "value",
      form: { label: `Maximum ${unit}`, hint: `${description}. Empty: the installation's ${variable}.` },
      example: null,
    });
    return [name, field];
  }),
) as Record<LimitName, Field<number | null, number | null>>;

const FIELDS = {
  Name: {
    ...readOnly(Type.String(), { description: "The tenant's name.", example: "acme" }),
    must: SET_BY_SERVER,
  },
  SecondFactor: oneOf(["Optional", "Required"], {
    description: "Required: a user without a second factor must set one up at sign-in.",
    audit: "value",
    judged: true,
    form: {
      label: "Second factor",
      hint: "Required: users without one, including you, must set one up on their next request.",
      words: { Optional: "Each user decides", Required: "Required for all users" },
    },
    example: "Required",
  }),
  Passkeys: oneOf(["Optional", "Encouraged", "Required"], {
    description:
      "Encouraged: a user without a passkey is asked to add one after a sign-in with a password, every 30 days. " +
      "Required: every user must sign in with a passkey; who has none must add one at sign-in.",
    audit: "value",
    judged: true,
    form: {
      label: "Passkeys",
      hint: "Required: users without one, including you, must add one on their next request. A role can require them of its users alone.",
      words: {
        Optional: "Each user decides",
        Encouraged: "Offered after a sign-in with a password",
        Required: "Required for all users",
      },
    },
    example: "Encouraged",
  }),
  PasskeysRequiredFrom: field<Date | null, string | null>({
    ...momentOrNull({
      description:
        "The time from which passkeys are required, by Passkeys or by a role; until then they are offered. null: at once.",
      audit: "value",
      form: { label: "Passkeys are required from", hint: "A day or a time, such as 2026-01-31. Empty: at once." },
      example: null,
    }),
    shown: orNull(time()),
    show: (from) => (from as Date | null)?.toISOString() ?? null,
  }),
  PasskeyModels: field<string[], string[]>({
    description:
      "The AAGUIDs of the models of authenticators that are accepted where a passkey is required; empty: all. An " +
      "authenticator states its model itself.",
    sent: orNull(Type.Array(Type.String({ pattern: UUID }), { maxItems: MAX_MODELS })),
    shown: Type.Array(Type.String()),
    must: `must be a list of at most ${MAX_MODELS} AAGUIDs, such as ee882879-721c-4913-9775-3dfcce97072a.`,
    take: (value: string[] | null) => [...new Set((value ?? []).map((one) => one.toLowerCase()))],
    audit: "value",
    form: {
      label: "Models of authenticators",
      hint: "AAGUIDs of the passkeys that count where one is required, separated by spaces. Empty: all.",
    },
    example: [],
  }),
  SessionsAfterReset: oneOf(["End", "Keep"], {
    description:
      "Whether a user's sessions and refresh tokens end when a forgotten password is replaced by a mailed link. Links " +
      "that administrators make always end them.",
    audit: "value",
    judged: true,
    form: {
      label: "After a forgotten password",
      hint: "When a user sets a new password by a link in a mail.",
      words: { End: "The user is signed out everywhere", Keep: "The user stays signed in elsewhere" },
    },
    example: "End",
  }),
  Language: oneOf(texts.LANGUAGE_CODES, {
    description: "The language of pages and mails for people whose own language is unknown.",
    audit: "value",
    judged: true,
    form: {
      label: "Language of pages and mails",
      hint: "For people whose browser prefers none of these, and who have chosen none.",
      words: texts.LANGUAGES,
    },
    example: "en",
  }),
  Texts: OWN_TEXTS,
  ClientRegistration: oneOf(REGISTRATION_MODES, {
    description:
      "Whether applications can register themselves at `/oauth2/register` (RFC 7591): no, with an initial access " +
      "token, or also without one.",
    audit: "value",
    judged: true,
    form: {
      label: "Applications register themselves",
      hint: "Open: anyone can register an application. Its users are always asked for their consent.",
      words: { Off: "No", InitialAccessToken: "With an initial access token", Open: "Open to anyone" },
    },
    example: "InitialAccessToken",
  }),
  ClientIdMetadataDocuments: oneOf(DOCUMENT_MODES, {
    description:
      "Whether an https address can be a client_id, with a JSON document there that describes the application (client ID " +
      "metadata documents, as used by MCP clients). Requires an installation with a single tenant.",
    audit: "value",
    judged: true,
    form: {
      label: "Applications identified by an https address",
      hint: "On: any application can ask your users for access. They are always asked for their consent.",
      words: { Off: "No", On: "Yes, described by the document there" },
    },
    example: "On",
  }),
  RegistrationScopes: field<string[], string[]>({
    description:
      "The maximum scopes of such an application, or of one identified by an address: of this service and of APIs. Without an initial access " +
      "token, scopes of this service's API are excluded.",
    sent: orNull(SCOPE_LIST.schema),
    shown: SCOPE_LIST.schema,
    must: SCOPE_LIST.must,
    take: (value: string[] | null) => value ?? [],
    audit: "value",
    judged: true,
    form: {
      label: "Scopes of applications that register themselves",
      hint: "The maximum scopes. Without an initial access token, scopes of this service's API are excluded.",
      explained: SCOPE_TEXTS,
    },
    example: ["openid", "profile", "name", "email"],
  }),
  ...BRANDING_FIELDS,
  ReplyTo: {
    ...title(MAX_MAIL_ADDRESS, {
      description: "The address for replies to mails; empty: the installation's MAIL_FROM.",
      audit: "value",
      form: { label: "Address for replies to mails", type: "email" },
      example: "help@example.com",
    }),
    refuse: (value: string | null, name: string) =>
      value && !isMailAddress(value) ? `${name} must be one mail address, such as help@example.com.` : undefined,
  },
  ...PEOPLE_FIELDS,
  RetentionDays: integer(1, MAX_DAYS, "days", {
    description:
      "Days for which changes and their deliveries are kept, at most the installation's RETENTION; null: as long as that. " +
      "Open deliveries stay.",
    audit: "value",
    form: {
      label: "Days that the activity log is kept",
      hint: "Older changes are removed within an hour, permanently. Empty: the installation's retention.",
    },
    example: null,
  }),
  ...LIMIT_FIELDS,
  UserAttributes: USER_ATTRIBUTES,
};

/** Every tenant has settings, so they are not made or deleted. The Id is the tenant's. */
export const TENANT_SETTINGS = record("TenantSettings", {
  table: "tenants",
  nouns: ["settings", "settings"],
  description: "Settings of the tenant.",
  scopes: SETTING,
  audit: "TenantSettings",
  fields: FIELDS,
});
export type TenantSettings = RowOf<typeof FIELDS> & { name: string };
export type TenantSettingsInput = InputOf<typeof FIELDS>;
