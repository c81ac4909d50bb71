// An API of the tenant: its declaration. Routes, validation, policies, the audit log and documents derive from it.

import { Type } from "@sinclair/typebox";
import { readUrl } from "../../../platform/address.ts";
import { field, flag, integer, oneOf, orNull, type RecordOf, type RowOf } from "../../../platform/http/fields.ts";
import { asTitle, isText } from "../../../platform/text.ts";
import { isOwnScope, record, recordFields, SCOPE_NAME, SETTING } from "../../../records/index.ts";
import { claimMappingField } from "../claim-mapping.ts";
import { ACCESS_TOKEN_ALGS, ACCESS_TOKEN_LIFETIME, ACCESS_TOKEN_TYPES } from "../contract.ts";

/** The maximum number of characters. */
const AUDIENCE_LIMIT = 500;
const SCOPE_TEXT_LIMIT = 200;
const MAX_SCOPES = 100;

const scope = Type.Object({
  Name: Type.String({ pattern: SCOPE_NAME, description: "The scope's name in requests." }),
  Description: Type.String({ maxLength: SCOPE_TEXT_LIMIT, description: "Shown to users." }),
});

export interface ApiScope {
  name: string;
  /** The scope's text on the consent page. */
  description: string;
}

type ScopeRecord = { Name: string; Description: string };

const FIELDS = {
  Id: recordFields.idField("Api"),
  Name: recordFields.nameField("Orders", "Shown when an application asks for access to the API."),
  Audience: field<string, string>({
    description:
      "The `aud` of its tokens, and the `resource` parameter that requests them (RFC 8707): an absolute URI. `resource` " +
      "can be any equivalent address (RFC 3986 6.2), `aud` is exactly this one. Unique in the installation, because all its tokens have one issuer.",
    required: true,
    unique: true,
    audit: "value",
    judged: true,
    form: {
      label: "Audience",
      hint: "An absolute URI, such as its address. Its tokens have only this audience.",
    },
    sent: Type.String({ format: "uri", maxLength: AUDIENCE_LIMIT }),
    checked: Type.String(),
    shown: Type.String({ format: "uri", maxLength: AUDIENCE_LIMIT }),
    must: `must be an absolute URI without a fragment, of at most ${AUDIENCE_LIMIT} visible ASCII characters.`,
    // RFC 8707 2.
    fits: (value: string) =>
      value.length <= AUDIENCE_LIMIT && /^[\x21\x22\x24-\x7e]+$/.test(value) && readUrl(value) !== undefined,
    example: "https://orders.example.com",
  }),
  Scopes: field<ApiScope[], ScopeRecord[]>({
    description:
      "The complete list; omitted ones are also removed from clients, roles and consents. A name must not be a scope of " +
      "this service or of a different Api.",
    sent: orNull(Type.Array(scope, { maxItems: MAX_SCOPES })),
    checked: orNull(Type.Array(Type.Unknown(), { maxItems: MAX_SCOPES })),
    shown: Type.Array(scope, { maxItems: MAX_SCOPES }),
    must: `must be a list of at most ${MAX_SCOPES}.`,
    refuse: (value: unknown[] | null) => scopeProblem(value ?? []),
    take: (value: ScopeRecord[] | null) =>
      (value ?? []).map(({ Name, Description = "" }) => ({ name: Name, description: Description })),
    stored: "json",
    show: (stored) => (stored as ApiScope[]).map(({ name, description }) => ({ Name: name, Description: description })),
    audit: "value",
    form: {
      label: "Scopes",
      hint: "One per line: name, space, description for users.",
      rows: 6,
      line: {
        show: ({ Name, Description }: ScopeRecord) => `${Name} ${Description}`.trim(),
        read(text) {
          const [Name = ""] = text.split(/\s/, 1);
          return { Name, Description: text.slice(Name.length).trim() };
        },
      },
    },
    example: [{ Name: "orders:read", Description: "Read your orders" }],
  }),
  AccessTokenAlg: oneOf(ACCESS_TOKEN_ALGS, {
    description:
      "The signature algorithm of its tokens. All libraries verify RS256; not all verify the shorter signatures of the others.",
    documented: { default: "RS256" },
    audit: "value",
    form: { label: "Signature of its tokens" },
    example: "RS256",
  }),
  AccessTokenType: oneOf(ACCESS_TOKEN_TYPES, {
    description: "The `typ` of its tokens: that of RFC 9068, or `JWT` for libraries that reject it.",
    documented: { default: "at+jwt" },
    audit: "value",
    form: { label: "Type of its tokens", words: { "at+jwt": "at+jwt (RFC 9068)" } },
    example: "at+jwt",
  }),
  TokenLifetime: integer(...ACCESS_TOKEN_LIFETIME, "seconds", {
    description: "The maximum lifetime of its tokens; a client's AccessTokenLifetime may be shorter.",
    audit: "value",
    form: { label: "Lifetime of its tokens, seconds", hint: "Empty: as the application has it." },
    example: null,
  }),
  IncludeClaims: flag({
    description: "Users' tokens for it contain the claims of the scopes profile, name, email and phone, if granted.",
    documented: { default: false },
    audit: "value",
    form: {
      label: "Name, e-mail and phone in its tokens",
      hint: "If the user has allowed the application to see them.",
    },
    example: false,
  }),
  ClaimMapping: claimMappingField("tokens for it"),
  ApplicationId: recordFields.recordIdField("Application", {
    description: "The Application whose client may introspect its tokens. Empty: none.",
    form: {
      label: "Its client_id",
      hint: "The API uses this client to introspect tokens (RFC 7662). Empty: it does not.",
    },
    example: "1002",
  }),
  ...recordFields.STAMP_FIELDS,
};

export const API = record("Api", {
  table: "apis",
  nouns: ["API", "APIs"],
  description: "A tenant's API, which accepts access tokens issued for it.",
  scopes: SETTING,
  audit: "Record",
  fields: FIELDS,
  texts: {
    group: "The organisation's APIs, which accept access tokens issued for them.",
    alsoSaved: "Its scopes are granted to clients and roles by name.",
    remove:
      "No more tokens are issued for it, and introspection reports its tokens as inactive. APIs that verify only the signature accept issued " +
      "tokens until they expire. Its scopes are removed from clients, roles and consents.",
    example: ["Name", "Audience", "Scopes"],
  },
});
export type Api = RowOf<typeof FIELDS> & recordFields.Stamped;
export type ApiRecord = RecordOf<typeof FIELDS>;

function scopeProblem(value: unknown[]): string | undefined {
  const names = value.map((one) => (one as Partial<ScopeRecord> | null)?.Name);
  for (const [index, one] of value.entries()) {
    const at = `Scopes[${index}]`;
    const { Name, Description = "", ...others } = (one ?? {}) as Record<string, unknown>;
    const isRight = typeof Name === "string" && typeof Description === "string" && Object.keys(others).length === 0;
    if (!isRight) return `${at} must be {"Name": …, "Description": …}.`;
    if (!new RegExp(SCOPE_NAME).test(Name)) {
      return `${at}.Name must have 1 to 100 visible ASCII characters, without *, comma, " and \\.`;
    }
    if (isOwnScope(Name) || Name === "offline_access")
      return `${at}.Name is a scope of this service. Choose another name.`;
    if (names.indexOf(Name) !== index) return `${at}.Name occurs twice.`;
    if (!isText(Description, SCOPE_TEXT_LIMIT)) {
      return `${at}.Description must have at most ${SCOPE_TEXT_LIMIT} characters.`;
    }
    const { problem } = asTitle(Description, SCOPE_TEXT_LIMIT);
    if (problem) return `${at}.Description ${problem}`;
  }
  return undefined;
}
