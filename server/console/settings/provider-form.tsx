import { PROVIDER, type ProviderRecord, providerWords } from "../../identity/index.ts";
import {
  bodyOf,
  Checkbox,
  Code,
  ContractFields,
  type FormState,
  formFields,
  formOf,
  formOfRecord,
  Hidden,
  TextField,
} from "../../ui/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import type { RecordForm } from "../records/record-pages.tsx";
import { Presets, presetOf } from "./provider-presets.tsx";

type ProviderType = ProviderRecord["Type"];

const ENDPOINTS = ["AuthorizationEndpoint", "TokenEndpoint", "UserinfoEndpoint"];
type Reservation = Awaited<ReturnType<ConsoleServices["providers"]["reserve"]>>;

export const RESERVATION = "Reservation";
const CLAIMS = providerWords.MAPPED.map((field) => `Mapping.${field}`);
const NAMES = formFields(PROVIDER);
export const FIELDS = [...NAMES, ...CLAIMS, "Mapping"];
const RULES = ["Provisioning", "AllowedDomains", "AllowedTenants", "RequireVerifiedEmail"];
const ADVANCED = ["TokenEndpointAuthMethod", "AuthorizationParameters", "ExternalId"];
const LAST = ["AllowLocal", "Is_Active"];

const CLAIM_LABELS: Record<(typeof providerWords.MAPPED)[number], string> = {
  Subject: "Claim of the subject",
  Name: "Claim of the full name",
  Username: "Claim of the user name",
  Email: "Claim of the e-mail address",
  EmailVerified: "Claim of the verified e-mail flag",
  MobilePhone: "Claim of the mobile phone",
  External_Id: "Claim of the external Id",
  GivenName: "Claim of the given name",
  FamilyName: "Claim of the family name",
  Locale: "Claim of the language",
  ZoneInfo: "Claim of the time zone",
  Picture: "Claim of the picture's address",
};

/** Optional fields that only one type has. */
const OWN = { OpenIDConnect: ["MetadataUri", "IdTokenAlg", "SignOut"], OAuth2: ["EmailsEndpoint"] };

const addressesOf = (type: ProviderType) => (type === "OpenIDConnect" ? ["Issuer"] : ENDPOINTS);
/** OpenID Connect always has the subject in `sub`. */
const claimsOf = (type: ProviderType) =>
  providerWords.MAPPED.filter((field) => type === "OAuth2" || field !== "Subject");

function namesOf(type: ProviderType): string[] {
  const other = type === "OpenIDConnect" ? "OAuth2" : "OpenIDConnect";
  const others = [...addressesOf(other), ...OWN[other]];
  return NAMES.filter((name) => !others.includes(name));
}

/** The claims by form field name. */
function claimValues(mapping: ProviderRecord["Mapping"]): Record<string, string> {
  return Object.fromEntries(providerWords.MAPPED.map((field) => [`Mapping.${field}`, mapping[field] ?? ""]));
}

/** An empty secret field keeps the secret, unless the form states that there is none. */
export function providerBody(form: URLSearchParams, type: ProviderType): Record<string, unknown> {
  const claims = claimsOf(type).map((field) => [field, (form.get(`Mapping.${field}`) ?? "").trim()]);
  const isPublic = form.get("NoSecret") === "true";
  return {
    ...bodyOf(PROVIDER, namesOf(type), form),
    ...(isPublic && { ClientSecret: null }),
    Mapping: Object.fromEntries(claims),
  };
}

export function changeForm(provider: ProviderRecord): RecordForm {
  const state = formOfRecord(PROVIDER, NAMES, provider, claimValues(provider.Mapping));
  return providerForm(provider.Type, state, false);
}

/** @param path the parent of each type's page for adding */
export function newForm(visit: Visit, type: ProviderType, path: string, redirect: Reservation): RecordForm {
  const usual = { Provisioning: "LinkOnly", Scopes: providerWords.DEFAULT_SCOPES[type].join(" ") };
  const claims = type === "OpenIDConnect" ? claimValues(providerWords.DEFAULT_MAPPING) : {};
  const state = formOf({ ...usual, ...claims, ...presetOf(visit, type)?.values });
  const { fields } = providerForm(type, state, true);
  return {
    state,
    fields: (now) => (
      <>
        <Presets visit={visit} type={type} path={path} kept={`${RESERVATION}=${redirect.reservation}`} />
        <Hidden name={RESERVATION} value={redirect.reservation} />
        <div class="field">
          <p>
            <strong>Redirect URI</strong>
          </p>
          <p class="hint">Register it at the provider. Saving this form keeps it.</p>
          <Code kept text={redirect.redirectUri} />
        </div>
        {fields(now) as "safe"}
      </>
    ),
  };
}

function providerForm(type: ProviderType, state: FormState, isNew: boolean): RecordForm {
  return {
    state,
    fields: (state) => {
      const fields = (...names: string[]) => (
        <ContractFields contract={PROVIDER} names={names} state={state} isNew={isNew} />
      );
      return (
        <>
          {fields("Name")}
          <ContractFields contract={PROVIDER} names={addressesOf(type)} state={state} isNew={isNew} required />
          {fields("ClientId", "ClientSecret")}
          <Checkbox state={state} name="NoSecret" label="The provider issued no secret" />
          {fields("Scopes", ...RULES)}
          <Claims state={state} type={type} />
          <ContractFields
            contract={PROVIDER}
            names={[...LAST, ...OWN[type], ...ADVANCED]}
            sections={{ Advanced: [...OWN[type], ...ADVANCED] }}
            state={state}
            isNew={isNew}
          />
        </>
      );
    },
  };
}

/** Open if it has a problem, or the protocol has no standard claims. */
function Claims({ state, type }: { state: FormState; type: ProviderType }): JSX.Element {
  const isOpen = type === "OAuth2" || CLAIMS.some((name) => state.problem(name));
  return (
    <details class="more" open={isOpen}>
      <summary>Claims that become fields of the user</summary>
      <div class="fields">
        {claimsOf(type).map((field) => (
          <TextField state={state} name={`Mapping.${field}`} label={CLAIM_LABELS[field]} code required={false} />
        ))}
      </div>
    </details>
  );
}
