// The form of an identity provider: the fields that its protocol has.

import { MAPPED, PROVISIONINGS } from "../../signin/index.ts";
import { ButtonLink, Checkbox, Form, type FormState, Hidden, SelectField, TextField } from "../components/index.ts";
import type { Visit } from "../visit.ts";
import { PROVISIONING, type ProviderRecord } from "./provider.ts";

type ProviderType = ProviderRecord["Type"];

const ENDPOINTS = ["AuthorizationEndpoint", "TokenEndpoint", "UserinfoEndpoint"] as const;
const CLAIMS = MAPPED.map((field) => `Mapping.${field}`);
const TEXTS = ["Name", "ExternalId", "ClientId"] as const;
export const FIELDS = [
  ...TEXTS,
  "Issuer",
  ...ENDPOINTS,
  "ClientSecret",
  "Scopes",
  ...CLAIMS,
  "Mapping",
  "Provisioning",
  "AllowLocal",
  "Is_Active",
];

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
const addressesOf = (type: ProviderType) => (type === "OpenIDConnect" ? (["Issuer"] as const) : ENDPOINTS);
/** OpenID Connect always has the subject in `sub`. */
const claimsOf = (type: ProviderType) => MAPPED.filter((field) => type === "OAuth2" || field !== "Subject");

export function valuesOf(provider: ProviderRecord): Record<string, string> {
  const claims = MAPPED.map((field) => [`Mapping.${field}`, provider.Mapping[field] ?? ""]);
  return {
    ...Object.fromEntries([...TEXTS, "Issuer" as const, ...ENDPOINTS].map((name) => [name, provider[name]])),
    ...Object.fromEntries(claims),
    Scopes: provider.Scopes.join(" "),
    Provisioning: provider.Provisioning,
    AllowLocal: String(provider.AllowLocal),
    Is_Active: String(provider.Is_Active),
  };
}

/** A secret that is left empty stays as it is, unless the form says that there is none. */
export function providerBody(form: URLSearchParams, type: ProviderType): Record<string, unknown> {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const claims = claimsOf(type).map((field) => [field, text(`Mapping.${field}`)]);
  const secret = form.get("ClientSecret") ?? "";
  const isPublic = form.get("NoSecret") === "true";
  return {
    ...Object.fromEntries([...TEXTS, ...addressesOf(type)].map((name) => [name, text(name)])),
    ...(isPublic ? { ClientSecret: null } : secret === "" ? {} : { ClientSecret: secret }),
    Scopes: text("Scopes").split(/\s+/).filter(Boolean),
    Mapping: Object.fromEntries(claims),
    Provisioning: form.get("Provisioning"),
    AllowLocal: form.get("AllowLocal") === "true",
    Is_Active: form.get("Is_Active") === "true",
  };
}

interface ProviderFormProps {
  visit: Visit;
  type: ProviderType;
  state: FormState;
  action: string;
  back: string;
  /** A provider that is there already: its entity tag. */
  version?: string;
}

export function ProviderForm({ visit, type, state, action, back, version }: ProviderFormProps): JSX.Element {
  const isNew = version === undefined;
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {isNew ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField state={state} name="Name" label="Name" hint="What the sign-in page calls it." required />
        <Addresses state={state} type={type} />
        <TextField state={state} name="ClientId" label="ClientId" hint="What the provider knows us by." required />
        <TextField
          state={state}
          name="ClientSecret"
          label="ClientSecret"
          type="password"
          autocomplete="new-password"
          hint={isNew ? "As the provider gave it." : "Left empty, it stays as it is. It is never shown."}
          required={false}
        />
        <Checkbox state={state} name="NoSecret" label="The provider gave us no secret" />
        <TextField
          state={state}
          name="Scopes"
          label="Scopes"
          hint="What is asked for, separated by spaces."
          required={false}
        />
        <SelectField
          state={state}
          name="Provisioning"
          label="Who comes in"
          options={PROVISIONINGS.map((value) => ({ value, label: PROVISIONING[value] }))}
        />
        <Claims state={state} type={type} />
        <TextField state={state} name="ExternalId" label="External Id" required={false} />
        <Checkbox
          state={state}
          name="AllowLocal"
          label="Passwords too"
          hint="Also to applications that name this provider as their way in."
        />
        <Checkbox state={state} name="Is_Active" label="Active" hint="One that is not active is not offered." />
        <div class="buttons">
          <button type="submit" class="main">
            {isNew ? "Add provider" : "Save"}
          </button>
          <ButtonLink href={visit.href(back)}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}

function Addresses({ state, type }: { state: FormState; type: ProviderType }): JSX.Element {
  if (type === "OpenIDConnect") {
    return (
      <TextField
        state={state}
        name="Issuer"
        label="Issuer"
        type="url"
        hint="Its https address; all else is read from its metadata there."
        required
      />
    );
  }
  return (
    <>
      <TextField state={state} name="AuthorizationEndpoint" label="Authorization endpoint" type="url" required />
      <TextField state={state} name="TokenEndpoint" label="Token endpoint" type="url" required />
      <TextField
        state={state}
        name="UserinfoEndpoint"
        label="Userinfo endpoint"
        type="url"
        hint="Where the claims about the user are read, as JSON."
        required
      />
    </>
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
