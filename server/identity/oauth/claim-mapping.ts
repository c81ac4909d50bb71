// Claims that administrators add to tokens, as configured in a client or an API.

import { Type } from "@sinclair/typebox";
import { field, orNull, word } from "../../platform/http/fields.ts";
import { isText } from "../../platform/text.ts";

/** Sources of a claim's value; field names refer to the User. */
export const CLAIM_SOURCES = [
  "Roles",
  "Groups",
  "Name",
  "GivenName",
  "FamilyName",
  "Username",
  "Email",
  "MobilePhone",
  "External_Id",
  "Department",
  "Attribute",
  "Constant",
] as const;

export interface MappedClaim {
  Claim: string;
  From: (typeof CLAIM_SOURCES)[number];
  /** The value of a Constant, or the name of an Attribute. */
  Value?: string;
}

const MAX_CLAIMS = 50;
/** Per source, except constants: repeated values could make a token exceed a header's size. */
const MAX_PER_SOURCE = 2;
const VALUE_LIMIT = 1_000;
/** The maximum bytes of all names and constants. A token must fit into a header; servers accept 16 KiB of headers. */
export const MAPPING_LIMIT = 4_000;
const CLAIM_NAME = "^[\\x21-\\x7e]{1,100}$";

/** Claims defined by standards (RFC 7519, 7662, 8693, 9068, OIDC Core), and claims that are vouched for. */
const RESERVED = [
  ...["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "azp", "scope", "resource", "tenant", "grant_id"],
  ...["auth_time", "acr", "amr", "nonce", "at_hash", "c_hash", "s_hash", "sid", "cnf", "act", "may_act"],
  ...["exchange_scope", "userinfo_claims", "events", "hasgroups"],
  // The "verified" claim beside each would vouch for a mapped value.
  ...["email", "email_verified", "phone_number", "phone_number_verified"],
  ...["typ", "active", "token_type", "__proto__"],
];

const mapped = Type.Object({
  Claim: Type.String({
    pattern: CLAIM_NAME,
    description: "Its name in the token; names reserved by standards are rejected.",
  }),
  From: word(CLAIM_SOURCES, {
    description:
      "Roles: names of the caller's roles. Groups: names of the User's groups. Constant: Value. Attribute: the User's attribute named Value. Otherwise a field.",
  }),
  Value: Type.Optional(Type.String({ maxLength: VALUE_LIMIT, description: "Required for Constant and Attribute." })),
});

/** @param where the name of the token that contains the claims */
export function claimMappingField(where: string) {
  const list = Type.Array(mapped, { maxItems: MAX_CLAIMS });
  return field<MappedClaim[], MappedClaim[]>({
    description: `Additional claims in ${where}. An empty field gives no claim.`,
    sent: orNull(list),
    checked: orNull(Type.Array(Type.Unknown(), { maxItems: MAX_CLAIMS })),
    shown: list,
    must: `must be a list of at most ${MAX_CLAIMS}.`,
    refuse: (value: unknown[] | null) => mappingProblem(value ?? []),
    take: (value: MappedClaim[] | null) => value ?? [],
    stored: "json",
    audit: "value",
    form: {
      label: "More claims",
      hint: `One per line, in ${where}: name, space, source. Sources are ${CLAIM_SOURCES.join(", ")}. Examples: "roles Roles", "groups Groups", "cost_centre Attribute costCentre" or "stage Constant test".`,
      rows: 3,
      line: {
        show: ({ Claim, From, Value }: MappedClaim) => [Claim, From, ...(Value === undefined ? [] : [Value])].join(" "),
        read(text) {
          const [Claim = "", From = "", ...rest] = text.split(/\s+/);
          return { Claim, From, ...(rest.length > 0 && { Value: rest.join(" ") }) };
        },
      },
    },
    example: [{ Claim: "roles", From: "Roles" }],
  });
}

function mappingProblem(value: unknown[]): string | undefined {
  const names = value.map((one) => (one as Partial<MappedClaim> | null)?.Claim);
  for (const [index, one] of value.entries()) {
    const at = `ClaimMapping[${index}]`;
    const { Claim, From, Value, ...others } = (one ?? {}) as Record<string, unknown>;
    if (typeof Claim !== "string" || Object.keys(others).length > 0) return `${at} must be {"Claim": …, "From": …}.`;
    if (!new RegExp(CLAIM_NAME).test(Claim)) return `${at}.Claim must have 1 to 100 visible ASCII characters.`;
    if (RESERVED.includes(Claim)) return `${at}.Claim is a reserved claim. Choose another name.`;
    if (names.indexOf(Claim) !== index) return `${at}.Claim occurs twice.`;
    if (!CLAIM_SOURCES.some((known) => known === From)) return `${at}.From must be ${CLAIM_SOURCES.join(" or ")}.`;
    const alike = value.slice(0, index).filter((other) => isOfSource(other, From, Value));
    if (alike.length >= MAX_PER_SOURCE) return `${at}: at most ${MAX_PER_SOURCE} claims can have this source.`;
    const needsValue = From === "Constant" || From === "Attribute";
    if (!needsValue && Value !== undefined) return `${at}.Value is only for From Constant and From Attribute.`;
    if (needsValue && (Value === "" || !isText(Value, VALUE_LIMIT))) {
      return `${at}.Value must be a string of 1 to ${VALUE_LIMIT} characters.`;
    }
  }
  const bytes = Buffer.byteLength((value as MappedClaim[]).map(({ Claim, Value = "" }) => Claim + Value).join(""));
  return bytes > MAPPING_LIMIT
    ? `ClaimMapping must have at most ${MAPPING_LIMIT} bytes of names and values.`
    : undefined;
}

function isOfSource(other: unknown, From: unknown, Value: unknown): boolean {
  const { From: from, Value: value } = other as Partial<MappedClaim>;
  return From !== "Constant" && from === From && value === Value;
}
