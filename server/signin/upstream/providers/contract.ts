// The declaration of IdentityProvider. Routes, validation, the console's form, policies, the audit log and documents
// derive from it.

import { Type } from "@sinclair/typebox";
import type { CheckUrl } from "../../../egress/index.ts";
import {
  field,
  flag,
  type InputOf,
  NUL_FREE,
  oneOf,
  orNull,
  type RecordOf,
  readOnly,
  requiredText,
  text,
  word,
} from "../../../http/fields.ts";
import { record, SETTING } from "../../../records/index.ts";
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
import { AUTH_METHODS, type AuthMethod, MAPPED, type Mapping, PROVIDER_TYPES, PROVISIONINGS } from "./provider.ts";

export const PROBE_CHECKS = ["Metadata", "Keys", "Client", "Userinfo", "SignOut"] as const;
export const PROBE_OUTCOMES = ["Passed", "Failed", "Unknown"] as const;

const NAME_LIMIT = 200;
/** The maximum number of characters of a ClientId or ClientSecret. */
const CREDENTIAL_LIMIT = 1_000;
const MAX_SCOPES = 50;
/** The maximum number of AllowedDomains and of AllowedTenants. */
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
    take: (value: unknown) => value ?? undefined,
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
  Name: requiredText(NAME_LIMIT, {
    description: "Unique; stands on the sign-in page.",
    unique: true,
    audit: "value",
    judged: true,
    form: { label: "Name", hint: "Its name on the sign-in page." },
    example: "Example ID",
  }),
  ExternalId: text(NAME_LIMIT, {
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
      "OpenIDConnect: https, as the provider's metadata spells it. With another, ClientSecret has to be sent again.",
    judged: true,
    form: {
      label: "Issuer",
      type: "url",
      hint: "Its https address; all else is read from its metadata there.",
      hintOfChange: `Its https address; all else is read from its metadata there. ${MOVED}`,
    },
    example: "https://id.example.com",
  }),
  AuthorizationEndpoint: address(endpointProblem(checkUrl), "AuthorizationEndpoint", {
    description: "OAuth2: where users sign in.",
    form: { label: "Authorization endpoint", type: "url" },
    example: "",
  }),
  TokenEndpoint: address(endpointProblem(checkUrl), "TokenEndpoint", {
    description: "OAuth2: where codes are exchanged. With another, ClientSecret has to be sent again.",
    form: { label: "Token endpoint", type: "url", hintOfChange: MOVED },
    example: "",
  }),
  UserinfoEndpoint: address(endpointProblem(checkUrl), "UserinfoEndpoint", {
    description: "OAuth2: where claims about the user are read.",
    form: { label: "Userinfo endpoint", type: "url", hint: "Where the claims about the user are read, as JSON." },
    example: "",
  }),
  ClientId: requiredText(CREDENTIAL_LIMIT, {
    description: "Gatehouse's client_id at the provider.",
    audit: "value",
    judged: true,
    form: { label: "ClientId", hint: "What the provider knows us by." },
    example: "gatehouse",
  }),
  TokenEndpointAuthMethod: field<AuthMethod | null, AuthMethod | "">({
    description:
      "How the ClientSecret is sent. Empty: as the metadata says, or else client_secret_basic. private_key_jwt: by a key " +
      "of ours, which JwksUri publishes, in place of a secret.",
    sent: word(["", ...AUTH_METHODS]),
    checked: orNull(word(["", ...AUTH_METHODS])),
    shown: word(["", ...AUTH_METHODS]),
    must: `must be ${AUTH_METHODS.join(", ")}, or empty.`,
    take: (value: AuthMethod | "" | null) => value || null,
    show: (stored) => (stored as AuthMethod | null) ?? "",
    audit: "value",
    form: {
      label: "How we prove ourselves",
      words: {
        "": "By the secret, as the provider's metadata says",
        client_secret_basic: "By the secret, in a header (client_secret_basic)",
        client_secret_post: "By the secret, in the form (client_secret_post)",
        private_key_jwt: "By a key that we publish (private_key_jwt)",
      },
    },
    example: "",
  }),
  Scopes: words({
    description: "What is asked for there; with OpenIDConnect openid is among them.",
    pattern: SCOPE,
    most: MAX_SCOPES,
    must:
      `must be a list of at most ${MAX_SCOPES} scopes, each of at most ${WORD_LIMIT} visible ASCII characters but ` +
      '" and \\.',
    form: { label: "Scopes", hint: "What is asked for, separated by spaces." },
    example: ["openid", "profile", "email"],
  }),
  AuthorizationParameters: field<Record<string, string>, Record<string, string>>({
    description:
      `What goes into authorization requests beside the protocol's own parameters, such as hd, domain_hint or audience: ` +
      `at most ${MAX_PARAMETERS}, each value a string of 1 to ${PARAMETER_LIMIT} characters. Of response_mode, query and ` +
      "form_post can be set; of prompt, all but none.",
    sent: Type.Record(Type.String(), Type.String({ maxLength: PARAMETER_LIMIT }), { maxProperties: MAX_PARAMETERS }),
    checked: orNull(Type.Record(Type.String(), Type.Unknown(), { maxProperties: MAX_PARAMETERS })),
    shown: Type.Record(Type.String(), Type.String()),
    must: `must be an object of at most ${MAX_PARAMETERS} parameters.`,
    refuse: (value: Record<string, unknown> | null) => parametersProblem(value ?? {}),
    take: (value: Record<string, string> | null) => value ?? {},
    stored: "json",
    audit: "value",
    form: {
      label: "Parameters of your own",
      hint: 'As JSON, such as {"domain_hint": "example.com"}. They go into each request that sends people there.',
      rows: 3,
      json: true,
    },
    example: { domain_hint: "example.com" },
  }),
  Mapping: field<Mapping, Mapping>({
    description:
      "Which claim gives a User's field. Subject (with OAuth2 alone; default sub) is who the user is there; " +
      "EmailVerified says by true that Email is the user's own, and without that Email is not taken.",
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
      "Whether an unknown user gets a User, or can only be linked to one that is there. Default LinkOnly. Where anybody can " +
      "have an account, Create needs AllowedDomains or AllowedTenants.",
    blank: "LinkOnly",
    audit: "value",
    judged: true,
    form: {
      label: "New users",
      words: {
        Create: "Create accounts for new users of the provider",
        LinkOnly: "Only users that are here already, once they have linked their account",
      },
    },
    example: "Create",
  }),
  AllowedDomains: words({
    description: "With Provisioning Create, only people with a verified Email at one of these domains get a User.",
    pattern: DOMAIN,
    most: MAX_ALLOWED,
    must: `must be a list of at most ${MAX_ALLOWED} domains such as example.com.`,
    takeOne: (word) => word.trim().toLowerCase(),
    form: {
      label: "Domains",
      hint: "New users need a verified e-mail address at one of these, separated by spaces. Empty: no such rule.",
    },
    example: ["example.com"],
  }),
  AllowedTenants: words({
    description:
      "With Provisioning Create, only who is of one of these organisations there (the claim hd or tid) gets a User.",
    pattern: TENANT,
    most: MAX_ALLOWED,
    must: `must be a list of at most ${MAX_ALLOWED} organisations, each in visible ASCII without spaces.`,
    takeOne: (word) => word.trim(),
    form: {
      label: "Organisations there",
      hint: "New users must be of one of these: Google's hd, or Microsoft's tid. Empty: no such rule.",
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
    description: "Users of an Application that points here may also sign in by password.",
    audit: "value",
    judged: true,
    form: { label: "Passwords too", hint: "Also to applications that name this provider as their way in." },
    example: false,
  }),
  SignOut: flag({
    description:
      "OpenIDConnect: whoever signed in there and signs out here is sent to the provider's end_session_endpoint, and " +
      "then on to the application.",
    audit: "value",
    judged: true,
    form: {
      label: "Sign out there too",
      hint: "Users who sign out here are signed out at the provider. Register there the redirect URI after sign-out that the page of this provider shows.",
    },
    example: false,
  }),
  Is_Active: flag({
    description: "Users can sign in by it; a new one is off.",
    documented: { default: false },
    column: "isActive",
    audit: "value",
    judged: true,
    form: { label: "Active", hint: "An inactive provider is not offered. Test the connection first." },
    example: true,
  }),
  ClientSecret: field<string | null>({
    description: "Empty: a public client, by PKCE alone.",
    writeOnly: true,
    sent: orNull(Type.String({ maxLength: CREDENTIAL_LIMIT, pattern: NUL_FREE })),
    must: `must be a string of at most ${CREDENTIAL_LIMIT} characters, or null.`,
    take: (value: string | null) => value || null,
    audit: "name",
    form: {
      label: "ClientSecret",
      type: "password",
      hint: "As the provider gave it.",
      hintOfChange:
        "Left empty, it stays as it is. It is never shown. With another issuer or token endpoint it has to be given again.",
    },
  }),
  RedirectUri: ownAddress("What the provider has to have registered for ClientId.", "callback"),
  PostLogoutRedirectUri: ownAddress("With SignOut, what the provider has to have registered for it.", "signed-out"),
  JwksUri: ownAddress("With private_key_jwt, where the provider reads our key.", "jwks"),
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
    description: "An identity provider; its secret is never read back.",
    scopes: SETTING,
    audit: "IdentityProvider",
    fields: fields(checkUrl),
    identifiers: ["Name", "ExternalId"],
    texts: {
      group: "Providers that users sign in with: OpenID Connect, or OAuth 2.0 with userinfo.",
      save:
        "The provider that Id, or without it Name or ExternalId, points at is updated; else a new one is made, which " +
        "needs Name, Type, ClientId, and the Issuer or, with Type OAuth2, the three endpoints.",
      remove:
        "Its links to users and the sessions begun by it end, and these users' refresh tokens that came of signing " +
        "in at a provider; the users stay. 409 while an Application's AuthenticationId points at it.",
      examples: EXAMPLES,
    },
  });

/** The contract without the deployment's own checks of addresses. */
export const PROVIDER = providerContract(() => undefined);

export type ProviderInput = InputOf<ReturnType<typeof fields>>;
export type ProviderRecord = RecordOf<ReturnType<typeof fields>>;

export const PROVIDER_TEST = Type.Object(
  {
    Works: Type.Boolean({ description: "No check has failed." }),
    Checks: Type.Array(
      Type.Object({
        Name: word(PROBE_CHECKS),
        Outcome: word(PROBE_OUTCOMES, { description: "Unknown: the answer says neither." }),
        Message: Type.String({ description: "What was found, in words." }),
      }),
      { description: "In the order they were made; what depends on one that has failed is left out." },
    ),
  },
  { $id: "IdentityProviderTest" },
);
