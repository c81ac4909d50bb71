// Sends hostile texts by every form of Settings, and checks every page that shows the saved values.

import { expect, test } from "bun:test";
import { MAPPED } from "../../server/identity/signin/upstream/providers/provider-words.ts";
import { openWindows } from "../support/browser.ts";
import { inspectAsItIs } from "../support/inspect.ts";
import type { Api } from "../world/api.ts";
import { enterSettings, type Visitor } from "../world/console.ts";
import { flawsOf, HOSTILE, LONG, type Outcome, send, type Typed, tamper } from "../world/hostile.ts";
import { newTenant } from "../world/tenant.ts";
import { type FoundForm, type FoundPage, walk } from "../world/walk.ts";

const DIRECTORY = "https://directory.example.com";
const OAUTH2 = {
  AuthorizationEndpoint: `${DIRECTORY}/authorize`,
  TokenEndpoint: `${DIRECTORY}/token`,
  UserinfoEndpoint: `${DIRECTORY}/userinfo`,
  EmailsEndpoint: `${DIRECTORY}/emails`,
};
const CLAIMS = MAPPED.filter((field) => field !== "Subject").map((field) => `Mapping.${field}`);
const OPENID_FIELDS = [
  "Name Issuer MetadataUri ClientId ClientSecret Scopes AuthorizationParameters AllowedDomains AllowedTenants",
  ...CLAIMS,
  "ExternalId",
].join(" ");
const OAUTH2_FIELDS = [
  "Name",
  ...Object.keys(OAUTH2),
  "ClientId ClientSecret Scopes AuthorizationParameters AllowedDomains AllowedTenants Mapping.Subject",
  ...CLAIMS,
].join(" ");
const PERMIT_ALL = "permit (principal, action, resource);";

/** Values that replace rejected texts, so the form is accepted; the other fields stay hostile. */
const FREE = {};
const PERSON = {
  Picture: "https://example.com/ana.png",
  Profile: "https://example.com/ana",
  Website: "https://ana.example.com",
  BirthDate: "1990-05-31",
};
const APPLICATION = { WebSiteURL: "https://payroll.example.com" };
const CONNECTION = {
  URL: "https://localhost:9443/",
  Fields: "",
  ApiKey: "",
  Headers: "",
  TimeoutMs: "",
  RatePerSecond: "",
  MaxInFlight: "",
  HoldAfter: "",
};
const RULES = {
  Scopes: "openid",
  AuthorizationParameters: JSON.stringify({ audience: HOSTILE }),
  AllowedDomains: "example.com",
  AllowedTenants: "example.com",
};
const OPENID = { Issuer: DIRECTORY, MetadataUri: "", ...RULES };
const ED25519 = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const CREDENTIALS = { RedirectUris: `${DIRECTORY}/?x=%22%3E%3Cscript%3E`, PostLogoutRedirectUris: "" };

const API = { Scopes: `read ${HOSTILE}`, TokenLifetime: "", ClaimMapping: "", ApplicationId: "" };

/** Every form with typed input, as found by `walk`. Undefined: it is only rejected, because other forms need its record. */
const FORMS: Record<string, Typed | undefined> = {
  "POST /settings/apis/:id/change Name Audience Scopes TokenLifetime ClaimMapping ApplicationId": {
    ...{ ...API, Audience: `urn:changed:${Bun.randomUUIDv7()}` },
  },
  "POST /settings/apis/add Name Audience Scopes TokenLifetime ClaimMapping ApplicationId": {
    ...{ ...API, Scopes: `write ${HOSTILE}`, Audience: `urn:added:${Bun.randomUUIDv7()}` },
  },
  "POST /settings/applications/:id/change Name ApplicationKey ExternalId WebSiteURL Description": APPLICATION,
  "POST /settings/applications/:id/credentials RedirectUris PostLogoutRedirectUris BackchannelLogoutUri Jwks JwksUri TlsClientAuthValue AccessTokenLifetime RefreshTokenLifetime ClaimMapping SectorIdentifierUri LogoUri PolicyUri TosUri":
    {
      ...CREDENTIALS,
      BackchannelLogoutUri: "https://localhost:9443/",
      // RFC 4514 2.4.
      TlsClientAuthValue: `CN=${HOSTILE.replace(/[\\"+,;<>]/g, "\\$&")}`,
      AccessTokenLifetime: "600",
      RefreshTokenLifetime: "",
      ClaimMapping: `stage Constant ${HOSTILE}`,
      ...{ Jwks: JSON.stringify({ keys: [{ ...ED25519, kid: HOSTILE }] }), JwksUri: "", SectorIdentifierUri: "" },
      ...{ LogoUri: "", PolicyUri: `${DIRECTORY}/?x=%22%3E%3Cscript%3E`, TosUri: "" },
    },
  "POST /settings/applications/:id/secrets Name": FREE,
  "POST /settings/applications/add Name ApplicationKey ExternalId WebSiteURL Description": APPLICATION,
  "POST /settings/departments/:id/change Name ExternalId Description": FREE,
  "POST /settings/departments/add Name ExternalId Description": FREE,
  "POST /settings/groups/:id/change Name ExternalId Description": FREE,
  "POST /settings/groups/add Name ExternalId Description": FREE,
  [`POST /settings/identity-providers/:id/change ${OAUTH2_FIELDS} ExternalId`]: { ...OAUTH2, ...RULES },
  [`POST /settings/identity-providers/:id/change ${OPENID_FIELDS}`]: OPENID,
  [`POST /settings/identity-providers/add/OAuth2 ${OAUTH2_FIELDS} ExternalId`]: { ...OAUTH2, ...RULES },
  [`POST /settings/identity-providers/add/OpenIDConnect ${OPENID_FIELDS}`]: OPENID,
  "POST /settings/new-application/api Name": FREE,
  "POST /settings/new-application/device Name": FREE,
  "POST /settings/new-application/machine Name": FREE,
  "POST /settings/new-application/native Name RedirectUris PostLogoutRedirectUris": CREDENTIALS,
  "POST /settings/new-application/spa Name RedirectUris PostLogoutRedirectUris": CREDENTIALS,
  "POST /settings/new-application/web Name RedirectUris PostLogoutRedirectUris": CREDENTIALS,
  "POST /settings/invitations/add Email Name": { Email: "hostile@mail.test" },
  "POST /settings/invitation-imports/add Csv": {
    Csv: `Email,Name\nhostile-import@mail.test,"${HOSTILE.replaceAll('"', '""')}"`,
  },
  "POST /settings/mail/test To": { To: "ana@mail.test" },
  "POST /settings/branding DisplayName Welcome Accent DarkAccent Background DarkBackground HelpUri": {
    ...{ Accent: "", DarkAccent: "", Background: "", DarkBackground: "" },
    HelpUri: `${DIRECTORY}/?x=%22%3E%3Cscript%3E`,
  },
  "POST /settings/organisation PasskeysRequiredFrom PasskeyModels Texts ReplyTo SignUpDomains ConsentText TermsUri PrivacyUri AlertMailTo RetentionDays MaxRecords MaxConnections MaxEventsPerDay MaxRequestsPerSecond MaxStorageMegabytes UserAttributes":
    {
      ...{ PasskeysRequiredFrom: "", PasskeyModels: "" },
      ...{ Texts: "", ReplyTo: "help@mail.test", AlertMailTo: "ops@mail.test", SignUpDomains: "mail.test" },
      ...{ TermsUri: "https://acme.example/terms", PrivacyUri: "https://acme.example/privacy" },
      UserAttributes: `note Text ${HOSTILE}`,
    },
  "POST /settings/policies/:id Name Description Policy": { Policy: PERMIT_ALL },
  "POST /settings/policies/add Name Description Policy": { Policy: `// ${HOSTILE}\n${PERMIT_ALL}` },
  "POST /settings/policies/try Policy Principal Resource Fields Address Time Audience": {
    ...{ Policy: PERMIT_ALL, Principal: "admin" },
    ...{ Resource: "", Fields: "", Address: "", Audience: "", Time: "" },
  },
  "POST /settings/registration-tokens Name Uses Lifetime": { Uses: "1", Lifetime: "1" },
  "POST /settings/roles/:id/change Name Description": FREE,
  "POST /settings/roles/add Name Description": FREE,
  "POST /settings/users/:id/change Name Username Email MobilePhone External_Id GivenName FamilyName MiddleName Nickname Locale ZoneInfo Picture Profile Website Gender BirthDate Address":
    PERSON,
  "POST /settings/users/:id/erase Username": undefined,
  "POST /settings/users/:id/identity/link Subject": FREE,
  "POST /settings/users/add Name Username Email MobilePhone External_Id GivenName FamilyName MiddleName Nickname Locale ZoneInfo Picture Profile Website Gender BirthDate Address":
    PERSON,
  "POST /settings/webhooks/:id/change URL Secret Name Description Fields ApiKey Headers TimeoutMs RatePerSecond MaxInFlight HoldAfter":
    CONNECTION,
  // No such text is an expression.
  "POST /settings/webhooks/:id/filter Filter": undefined,
  "POST /settings/webhooks/:id/redeliver From To Rate": FREE,
  "POST /settings/webhooks/:id/secret Secret OverlapSeconds": FREE,
  "POST /settings/webhooks/add URL Secret Name Description Fields ApiKey Headers TimeoutMs RatePerSecond MaxInFlight HoldAfter":
    {
      ...CONNECTION,
      // The checkbox for no value is also set.
      Secret: "",
    },
};

/** The pages that name such a record; each shows the name as typed. */
const NAMED = [
  "webhooks",
  "applications",
  "users",
  "departments",
  "groups",
  "identity-providers",
  "apis",
  "policies",
  "roles",
];

const browser = openWindows();

test("any input in a form of Settings is saved or explained, is kept, and is shown as text", async () => {
  const api = await newTenant();
  await arrange(api);
  await using visitor = await enterSettings(browser, api.tenant, { viewport: { width: 400, height: 800 } });
  const forms = formsOf(await walk(visitor.page, 2));
  // New forms must be added to FORMS.
  const known = new Map(Object.entries(FORMS).map(([key, typed]) => [inAnyOrder(key), typed]));
  const found = keysOf(forms).filter((key) => !isFilter(key));
  expect(found.map(inAnyOrder).toSorted()).toEqual([...known.keys()].toSorted());
  const filtered = keysOf(forms)
    .filter(isFilter)
    .map((key) => key.split(" ")[1]);
  expect(filtered).toEqual(expect.arrayContaining(NAMED.map((area) => `/settings/${area}`)));
  expect(await tamper(visitor.page, forms)).toEqual([]);
  for (const form of forms.filter(({ typed }) => typed.length > 0))
    await tryForm(visitor, form, known.get(inAnyOrder(form.key)));

  const shown = showing(await walk(visitor.page, 3));
  for (const { path } of shown.values()) {
    await visitor.open(path);
    expect({ path, flaws: await flawsOf(visitor.page) }).toEqual({ path, flaws: [] });
  }
  const named = NAMED.flatMap((area) => [area, `${area}/:id`, `${area}/:id/delete`].map((end) => `/settings/${end}`));
  expect(named.filter((kind) => !shown.has(kind))).toEqual([]);
  expect(visitor.complaints.filter((line) => !/ sandboxed | responded with a status of 4/.test(line))).toEqual([]);
});

/** One record of each kind that has a form. */
async function arrange(api: Api): Promise<void> {
  const { Id: ConnectionId } = await api.connect("https://localhost:9443/", { Name: "Directory" });
  await api.change({ Name: "Front door" });
  // While the redelivery runs, its page has forms that soon disappear.
  const { Id } = await api.replay({ ConnectionId, From: "2026-01-01" });
  await api.endedRedelivery(Id);
  await api.call("PATCH", "/User", { Username: "colleague" });
  await api.call("PATCH", "/Department", { Name: "Finance" });
  await api.call("PATCH", "/Group", { Name: "Clerks" });
  await api.call("PATCH", "/Api", { Name: "Orders", Audience: `urn:orders:${Bun.randomUUIDv7()}` });
  const provider = { ClientId: "us", Mapping: { Subject: "id" } };
  await api.call("PATCH", "/IdentityProvider", { ...provider, ...OAUTH2, Name: "OAuth2", Type: "OAuth2" });
  await api.call("PATCH", "/IdentityProvider", {
    Name: "OIDC",
    Type: "OpenIDConnect",
    ClientId: "us",
    Issuer: DIRECTORY,
  });
}

/**
 * One form of each kind. Policies come before roles, so the policy that permits everything exists before others'
 * records are renamed.
 */
function formsOf(pages: FoundPage[]): FoundForm[] {
  const byKey = new Map(pages.flatMap(({ forms }) => forms).map((form) => [form.key, form]));
  return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function keysOf(forms: FoundForm[]): string[] {
  return forms.filter(({ typed }) => typed.length > 0).map(({ key }) => key);
}

/** Accepts the input, or reports problems. */
/** The key of a form whose fields are in another order. */
function inAnyOrder(key: string): string {
  const [method, action, ...names] = key.split(" ");
  return [method, action, ...names.toSorted()].join(" ");
}

const isFilter = (key: string) => key.startsWith("GET ");

/** One page of each kind that shows such a text. Characters without width are not stored. */
function showing(pages: FoundPage[]): Map<string, FoundPage> {
  const seen = (text: string) => text.replaceAll("\u200b", "");
  return new Map(pages.filter(({ text }) => seen(text).includes(seen(HOSTILE))).map((page) => [page.kind, page]));
}

let number = 0;

async function tryForm({ page, open }: Visitor, form: FoundForm, taken: Typed | undefined): Promise<void> {
  await open(form.path);
  const first = await send(page, form, () => LONG);
  judge(form, first);
  if (!first.kept) await open(form.path);
  if (!taken) return;
  number += 1;
  // Names must be unique.
  const outcome = await send(page, form, (name) => (name in taken ? taken[name] : `${number} ${HOSTILE}`));
  const { status, problems, said, flaws } = outcome;
  expect({ form: form.key, status, problems, flaws }).toEqual({ form: form.key, status: 200, problems: {}, flaws: [] });
  expect({ form: form.key, said }).not.toEqual({ form: form.key, said: "" });
  // The record's own page, with the hostile text as its name.
  if (form.action.endsWith("/add")) await inspectAsItIs(page, form.key);
}

/** It was accepted, or rejected with a reason beside a field and without losing input. */
function judge({ key }: FoundForm, { status, typed, kept, problems, flaws, said }: Outcome): void {
  const isRefused = status === 400 || status === 422;
  expect({ key, flaws, isAnswered: isRefused || status === 200 }).toEqual({ key, flaws: [], isAnswered: true });
  if (!isRefused) return;
  expect({ key, kept }).toEqual({ key, kept: typed });
  expect({ key, said, isBeside: Object.keys(problems).length > 0 }).toEqual({ key, said, isBeside: true });
  for (const [field, problem] of Object.entries(problems))
    expect({ field, length: problem.length > 10 }).toEqual({ field, length: true });
}
