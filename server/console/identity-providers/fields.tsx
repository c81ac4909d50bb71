// The form of an identity provider: the fields that its protocol has.

import { MAPPED, PROVIDER } from "../../signin/index.ts";
import {
  bodyOf,
  Checkbox,
  ContractField,
  ContractForm,
  type ContractFormProps,
  type FormState,
  formFields,
  formOfRecord,
  TextField,
} from "../../ui/index.ts";
import type { ProviderRecord } from "./list.tsx";

type ProviderType = ProviderRecord["Type"];

const ENDPOINTS = ["AuthorizationEndpoint", "TokenEndpoint", "UserinfoEndpoint"];
const CLAIMS = MAPPED.map((field) => `Mapping.${field}`);
const NAMES = formFields(PROVIDER);
export const FIELDS = [...NAMES, ...CLAIMS, "Mapping"];
const RULES = ["Provisioning", "AllowedDomains", "AllowedTenants", "RequireVerifiedEmail"];
const LAST = ["ExternalId", "AllowLocal", "Is_Active"];

const CLAIM_LABELS: Record<(typeof MAPPED)[number], string> = {
  Subject: "Claim that tells who it is",
  Name: "Claim of the full name",
  Username: "Claim of the user name",
  Email: "Claim of the e-mail address",
  EmailVerified: "Claim that says the address is the user's own",
  MobilePhone: "Claim of the mobile phone",
  External_Id: "Claim of the external Id",
};

/** The addresses that a provider of this type is reached at. */
const addressesOf = (type: ProviderType) => (type === "OpenIDConnect" ? ["Issuer"] : ENDPOINTS);
/** OpenID Connect always has the subject in `sub`. */
const claimsOf = (type: ProviderType) => MAPPED.filter((field) => type === "OAuth2" || field !== "Subject");

function namesOf(type: ProviderType): string[] {
  const others = ["Issuer", ...ENDPOINTS].filter((name) => !addressesOf(type).includes(name));
  return NAMES.filter((name) => !others.includes(name));
}

/** The claims, as the form's fields are called. */
export function claimValues(mapping: ProviderRecord["Mapping"]): Record<string, string> {
  return Object.fromEntries(MAPPED.map((field) => [`Mapping.${field}`, mapping[field] ?? ""]));
}

export function formOfProvider(provider: ProviderRecord): FormState {
  return formOfRecord(PROVIDER, NAMES, provider, claimValues(provider.Mapping));
}

/** A secret that is left empty stays as it is, unless the form says that there is none. */
export function providerBody(form: URLSearchParams, type: ProviderType): Record<string, unknown> {
  const claims = claimsOf(type).map((field) => [field, (form.get(`Mapping.${field}`) ?? "").trim()]);
  const isPublic = form.get("NoSecret") === "true";
  return {
    ...bodyOf(PROVIDER, namesOf(type), form),
    ...(isPublic && { ClientSecret: null }),
    Mapping: Object.fromEntries(claims),
  };
}

type ProviderFormProps = Omit<ContractFormProps, "contract" | "names" | "label" | "children"> & { type: ProviderType };

export function ProviderForm({ type, ...props }: ProviderFormProps): JSX.Element {
  const { state, version } = props;
  const isNew = version === undefined;
  const field = (name: string, required?: true) => (
    <ContractField contract={PROVIDER} name={name} state={state} isNew={isNew} required={required} />
  );
  return (
    <ContractForm {...props} contract={PROVIDER} names={["Name"]} label={isNew ? "Add provider" : "Save"}>
      {addressesOf(type).map((name) => field(name, true))}
      {["ClientId", "ClientSecret"].map((name) => field(name))}
      <Checkbox state={state} name="NoSecret" label="The provider gave us no secret" />
      {["TokenEndpointAuthMethod", "Scopes", ...RULES].map((name) => field(name))}
      <Claims state={state} type={type} />
      {LAST.map((name) => field(name))}
    </ContractForm>
  );
}

/** Open if there is something wrong with it, or the protocol has no usual ones. */
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
