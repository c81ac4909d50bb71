// The declaration of IdentityProvider. Routes, validation, the console's form, policies, the audit log and documents
// derive from it.

import { Type } from "@sinclair/typebox";
import type { CheckUrl } from "../../../../platform/egress/index.ts";
import {
  field,
  flag,
  type InputOf,
  NUL_FREE,
  oneOf,
  oneOrNone,
  orNull,
  type RecordOf,
  type RowOf,
  readOnly,
  requiredTitle,
  title,
  word,
} from "../../../../platform/http/fields.ts";
import { record, SETTING } from "../../../../records/index.ts";
import {
  address,
  endpointProblem,
  isClaim,
  issuerProblem,
  MAX_PARAMETERS,
  mapping,
  PARAMETER_LIMIT,
  parametersProblem,
  WORD_LIMIT,
  words,
} from "./fields.ts";
import { AUTH_METHODS, MAPPED, type Mapping, PROVIDER_TYPES, PROVISIONINGS } from "./provider-words.ts";

export const PROBE_CHECKS = ["Metadata", "Keys", "Client", "Userinfo", "Emails", "SignOut"] as const;
export const PROBE_OUTCOMES = ["Passed", "Failed", "Unknown"] as const;

const NAME_LIMIT = 200;
/** The maximum number of characters. */
const CREDENTIAL_LIMIT = 1_000;
const MAX_SCOPES = 50;
const MAX_ALLOWED = 50;
/** RFC 6749 3.3. */
const SCOPE = "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$";
const DOMAIN = "^([A-Za-z0-9-]+\\.)+[A-Za-z0-9-]{2,}$";
/** Google identifies an organisation by domain, Microsoft by UUID. */
const TENANT = "^[!-~]+$";

/** Enforced by egress/bound-secrets.ts. */
const MOVED = "After a change, ClientSecret must be given again.";

function ownAddress(description: string, last: string) {
  const example = `https://gatehouse.example.com/signin/upstream/1001/${last}`;
  return {
    ...readOnly(Type.String(), { description, example }),
    sent: orNull(Type.String()),
    must: "is set by the server and cannot be changed.",
    take: (value: unknown): unknown => value ?? undefined,
  };
}

const fields = (checkUrl: CheckUrl) => ({
  Id: field<number | undefined, string>({
    description: "Empty: it is found by its Name or ExternalId, or is new.",
    answered: "",
    sent: orNull(Type.String({ pattern: "^([1-9][0-9]{0,14})?$" })),
    shown: Type.String(),
    must: "must be an IdentityProvider's Id, or empty.",
    take: (value: string | null) => (value ? Number(value) : undefined),
    show: String,
    judged: true,
    example: "1001",
  }),
  Name: requiredTitle(NAME_LIMIT, {
    description: "Unique; shown on the sign-in page.",
    unique: true,
    audit: "value",
    judged: true,
    form: { label: "Name", hint: "Its name on the sign-in page." },
    example: "Example ID",
  }),
  ExternalId: title(NAME_LIMIT, {
    description: "External system code; unique in the system.",
    unique: true,
    audit: "value",
    judged: true,
    form: { label: "External Id" },
    example: "",
  }),
  Type: oneOf(PROVIDER_TYPES, {
    description: "The protocol.",
    required: true,
    audit: "value",
    judged: true,
    example: "OpenIDConnect",
  }),
  Issuer: address(issuerProblem(checkUrl), "Issuer", {
    description:
      "OpenIDConnect: https, exactly as in the provider's metadata. If it changes, ClientSecret must be sent again.",
    judged: true,
    form: {
      label: "Issuer",
      type: "url",
      hint: "Its https address; other settings are read from its metadata.",
      hintOfChange: `Its https address; other settings are read from its metadata. ${MOVED}`,
    },
    example: "https://id.example.com",
  }),
  MetadataUri: address(endpointProblem(checkUrl), "MetadataUri", {
    description:
      "OpenIDConnect: the address of its metadata, if it is not the Issuer and /.well-known/openid-configuration (Azure " +
      "AD B2C). The metadata must name the Issuer. If it changes, ClientSecret must be sent again.",
    form: {
      label: "Address of its metadata",
      type: "url",
      hint: "Empty: below the issuer. For providers with an issuer that is not their address, such as Azure AD B2C.",
    },
    example: "",
  }),
  IdTokenAlg: oneOrNone(["HS256"], {
    description:
      "OpenIDConnect: HS256 means that id_tokens are signed by the ClientSecret (LINE), and no other signature is " +
      "accepted. Empty: by one of the provider's published keys, and never by the secret.",
    audit: "value",
    judged: true,
    form: {
      label: "Signature of id_tokens",
      words: { "": "By the provider's keys", HS256: "By the ClientSecret (HS256)" },
    },
    example: "",
  }),
  AuthorizationEndpoint: address(endpointProblem(checkUrl), "AuthorizationEndpoint", {
    description: "OAuth2: where users sign in.",
    form: { label: "Authorization endpoint", type: "url" },
    example: "",
  }),
  TokenEndpoint: address(endpointProblem(checkUrl), "TokenEndpoint", {
    description: "OAuth2: where codes are exchanged. If it changes, ClientSecret must be sent again.",
    form: { label: "Token endpoint", type: "url", hintOfChange: MOVED },
    example: "",
  }),
  UserinfoEndpoint: address(endpointProblem(checkUrl), "UserinfoEndpoint", {
    description: "OAuth2: where claims about the user are read.",
    form: { label: "Userinfo endpoint", type: "url", hint: "Returns the user's claims as JSON." },
    example: "",
  }),
  EmailsEndpoint: address(endpointProblem(checkUrl), "EmailsEndpoint", {
    description:
      "OAuth2: where the user's e-mail addresses are read, a JSON list with email, primary and verified (GitHub's " +
      "/user/emails). The userinfo's address counts if it is verified there, otherwise the primary verified one. Empty: " +
      "the claims of Mapping.",
    form: {
      label: "E-mail addresses endpoint",
      type: "url",
      hint: "For providers that list private addresses and verified ones elsewhere, such as GitHub.",
    },
    example: "",
  }),
  ClientId: requiredTitle(CREDENTIAL_LIMIT, {
    description: "Gatehouse's client_id at the provider.",
    audit: "value",
    judged: true,
    form: { label: "ClientId", hint: "The client_id at the provider." },
    example: "gatehouse",
  }),
  TokenEndpointAuthMethod: oneOrNone(AUTH_METHODS, {
    description:
      "How the ClientSecret is sent. Empty: as the metadata says, or else client_secret_basic. private_key_jwt: by a key " +
      "of this service, published at JwksUri, instead of a secret.",
    audit: "value",
    form: {
      label: "Client authentication",
      words: {
        "": "By the secret, as in the provider's metadata",
        client_secret_basic: "By the secret, in a header (client_secret_basic)",
        client_secret_post: "By the secret, in the form (client_secret_post)",
        private_key_jwt: "By a key that we publish (private_key_jwt)",
      },
    },
    example: "",
  }),
  Scopes: words({
    description: "The requested scopes; with OpenIDConnect they include openid.",
    pattern: SCOPE,
    max: MAX_SCOPES,
    must:
      `must be a list of at most ${MAX_SCOPES} scopes, each of at most ${WORD_LIMIT} visible ASCII characters but ` +
      '" and \\.',
    form: { label: "Scopes", hint: "The requested scopes, separated by spaces." },
    example: ["openid", "profile", "email"],
  }),
  AuthorizationParameters: field<Record<string, string>, Record<string, string>>({
    description:
      `Additional parameters of authorization requests, such as hd, domain_hint or audience: ` +
      `at most ${MAX_PARAMETERS}, each value a string of 1 to ${PARAMETER_LIMIT} characters. Of response_mode, query and ` +
      "form_post are allowed; of prompt, all except none.",
    sent: Type.Record(Type.String(), Type.String({ maxLength: PARAMETER_LIMIT }), { maxProperties: MAX_PARAMETERS }),
    checked: orNull(Type.Record(Type.String(), Type.Unknown(), { maxProperties: MAX_PARAMETERS })),
    shown: Type.Record(Type.String(), Type.String()),
    must: `must be an object of at most ${MAX_PARAMETERS} parameters.`,
    refuse: (value: Record<string, unknown> | null) => parametersProblem(value ?? {}),
    take: (value: Record<string, string> | null) => value ?? {},
    stored: "json",
    audit: "value",
    form: {
      label: "Additional parameters",
      hint: 'As JSON, such as {"domain_hint": "example.com"}. Added to each authorization request.',
      rows: 3,
      json: true,
    },
    example: { domain_hint: "example.com" },
  }),
  Mapping: field<Mapping, Mapping>({
    description:
      "The claim for each User field, by its name or its path, such as data.id. Subject (only with OAuth2; default sub) " +
      "identifies the user there; EmailVerified must be true for Email to be used. user.name.firstName and " +
      "user.name.lastName are those of Apple's form field.",
    sent: mapping(Type.String({ maxLength: WORD_LIMIT })),
    checked: mapping(Type.Unknown()),
    shown: mapping(Type.String({ maxLength: WORD_LIMIT })),
    must: `must be an object that names a claim for some of ${MAPPED.join(", ")}.`,
    refuse(value: Record<string, unknown>) {
      const wrong = Object.keys(value).find((name) => !isClaim(value[name]));
      return wrong && `Mapping.${wrong} must be a claim's name, a string of at most ${WORD_LIMIT} characters.`;
    },
    take: (value: Mapping) => Object.fromEntries(Object.entries(value).filter(([, claim]) => claim !== "")),
    blank: {},
    stored: "json",
    audit: "value",
    example: { Name: "name", Username: "preferred_username", Email: "email", EmailVerified: "email_verified" },
  }),
  Provisioning: oneOf(PROVISIONINGS, {
    description:
      "Whether a User is created for an unknown user, or only existing Users can be linked. Default LinkOnly. For providers " +
      "with public registration, Create needs AllowedDomains or AllowedTenants.",
    blank: "LinkOnly",
    audit: "value",
    judged: true,
    form: {
      label: "New users",
      words: {
        Create: "Create accounts for new users of the provider",
        LinkOnly: "Only existing users, after they have linked their account",
      },
    },
    example: "Create",
  }),
  AllowedDomains: words({
    description: "With Provisioning Create, only people with a verified Email at one of these domains get a User.",
    pattern: DOMAIN,
    max: MAX_ALLOWED,
    must: `must be a list of at most ${MAX_ALLOWED} domains such as example.com.`,
    takeOne: (word) => word.trim().toLowerCase(),
    form: {
      label: "Domains",
      hint: "New users need a verified e-mail address at one of these, separated by spaces. Empty: no restriction.",
    },
    example: ["example.com"],
  }),
  AllowedTenants: words({
    description: "With Provisioning Create, only members of these organisations (the claim hd or tid) get a User.",
    pattern: TENANT,
    max: MAX_ALLOWED,
    must: `must be a list of at most ${MAX_ALLOWED} organisations, each in visible ASCII without spaces.`,
    takeOne: (word) => word.trim(),
    form: {
      label: "Organisations there",
      hint: "New users must belong to one of these: Google's hd, or Microsoft's tid. Empty: no restriction.",
    },
    example: [],
  }),
  RequireVerifiedEmail: flag({
    description: "With Provisioning Create, only people with a verified Email get a User.",
    audit: "value",
    form: { label: "New users need a verified e-mail address" },
    example: false,
  }),
  AllowLocal: flag({
    description: "Users of an Application that requires this provider may also sign in by password.",
    audit: "value",
    judged: true,
    form: { label: "Passwords too", hint: "Also for applications that require this provider." },
    example: false,
  }),
  SignOut: flag({
    description:
      "OpenIDConnect: users who signed in there and sign out here are redirected to the provider's end_session_endpoint, and " +
      "then on to the application.",
    audit: "value",
    judged: true,
    form: {
      label: "Sign out there too",
      hint: "Users who sign out here are also signed out at the provider. Register the redirect URI after sign-out, shown on the provider's page, there.",
    },
    example: false,
  }),
  Is_Active: flag({
    description: "Users can sign in with it; a new one is inactive.",
    documented: { default: false },
    audit: "value",
    judged: true,
    form: { label: "Active", hint: "An inactive provider is not offered. Test the connection first." },
    example: true,
  }),
  ClientSecret: field<string | null>({
    description: "Empty: a public client with PKCE.",
    writeOnly: true,
    sent: orNull(Type.String({ maxLength: CREDENTIAL_LIMIT, pattern: NUL_FREE })),
    must: `must be a string of at most ${CREDENTIAL_LIMIT} characters, or null.`,
    take: (value: string | null) => value || null,
    audit: "name",
    form: {
      label: "ClientSecret",
      type: "password",
      hint: "As issued by the provider.",
      hintOfChange: "Empty: unchanged. It is never shown. If the issuer or token endpoint changes, enter it again.",
    },
  }),
  RedirectUri: ownAddress("The redirect URI to register at the provider.", "callback"),
  PostLogoutRedirectUri: ownAddress(
    "With SignOut, the post-logout redirect URI to register at the provider.",
    "signed-out",
  ),
  JwksUri: ownAddress("With private_key_jwt, the address of this service's key.", "jwks"),
});

const EXAMPLES = {
  OpenIDConnect: {
    Name: "Example ID",
    Type: "OpenIDConnect",
    Issuer: "https://id.example.com",
    ClientId: "gatehouse",
    ClientSecret: "a-long-secret",
    Provisioning: "Create",
    AllowedDomains: ["example.com"],
    Is_Active: true,
  },
  OAuth2: {
    Name: "Example Social",
    Type: "OAuth2",
    AuthorizationEndpoint: "https://social.example.com/authorize",
    TokenEndpoint: "https://social.example.com/token",
    UserinfoEndpoint: "https://social.example.com/me",
    ClientId: "gatehouse",
    ClientSecret: "a-long-secret",
    Mapping: { Subject: "id", Name: "display_name" },
  },
};

export const providerContract = (checkUrl: CheckUrl) =>
  record("IdentityProvider", {
    table: "identity_providers",
    nouns: ["identity provider", "identity providers"],
    description: "An identity provider; its secret is never returned.",
    scopes: SETTING,
    audit: "IdentityProvider",
    fields: fields(checkUrl),
    identifiers: ["Name", "ExternalId"],
    texts: {
      group: "Providers that users sign in with: OpenID Connect, or OAuth 2.0 with userinfo.",
      save:
        "Updates the provider with this Id, or without an Id the one with this Name or ExternalId; otherwise creates one, which " +
        "needs Name, Type, ClientId, and the Issuer or, with Type OAuth2, the three endpoints.",
      remove:
        "Ends its links to users, the sessions started by it, and the refresh tokens from sign-ins " +
        "at it; the users stay. 409 while an Application's AuthenticationId references it.",
      examples: EXAMPLES,
    },
  });

/** The contract without the deployment's own checks of addresses. */
export const PROVIDER = providerContract(() => undefined);

type Row = RowOf<ReturnType<typeof fields>>;
export interface Provider extends Omit<Row, "id" | "clientSecret"> {
  id: number;
  /** Sealed; null: a public client. */
  clientSecret: Uint8Array | null;
  /** Sealed: the private JWK for private_key_jwt; null with any other method. */
  clientKey: Uint8Array | null;
}
export type ProviderInput = InputOf<ReturnType<typeof fields>>;
export type ProviderRecord = RecordOf<ReturnType<typeof fields>>;

export const PROVIDER_TEST = Type.Object(
  {
    Works: Type.Boolean({ description: "No check has failed." }),
    Checks: Type.Array(
      Type.Object({
        Name: word(PROBE_CHECKS),
        Outcome: word(PROBE_OUTCOMES, { description: "Unknown: the response was inconclusive." }),
        Message: Type.String({ description: "The result as text." }),
      }),
      { description: "In order of execution; checks that depend on a failed one are omitted." },
    ),
  },
  { $id: "IdentityProviderTest" },
);
