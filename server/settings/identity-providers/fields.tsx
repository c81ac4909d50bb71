// The form of an identity provider: the fields that its protocol has.

import { AUTH_METHODS, MAPPED, PROVISIONINGS } from "../../signin/index.ts";
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
  "TokenEndpointAuthMethod",
  "Scopes",
  ...CLAIMS,
  "Mapping",
  "Provisioning",
  "AllowedDomains",
  "AllowedTenants",
  "RequireVerifiedEmail",
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
    TokenEndpointAuthMethod: provider.TokenEndpointAuthMethod,
    Provisioning: provider.Provisioning,
    AllowedDomains: provider.AllowedDomains.join(" "),
    AllowedTenants: provider.AllowedTenants.join(" "),
    RequireVerifiedEmail: String(provider.RequireVerifiedEmail),
    AllowLocal: String(provider.AllowLocal),
    Is_Active: String(provider.Is_Active),
  };
}

/** A secret that is left empty stays as it is, unless the form says that there is none. */
export function providerBody(form: URLSearchParams, type: ProviderType): Record<string, unknown> {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const words = (name: string) => text(name).split(/\s+/).filter(Boolean);
  const claims = claimsOf(type).map((field) => [field, text(`Mapping.${field}`)]);
  const secret = form.get("ClientSecret") ?? "";
  const isPublic = form.get("NoSecret") === "true";
  return {
    ...Object.fromEntries([...TEXTS, ...addressesOf(type)].map((name) => [name, text(name)])),
    ...(isPublic ? { ClientSecret: null } : secret === "" ? {} : { ClientSecret: secret }),
    TokenEndpointAuthMethod: text("TokenEndpointAuthMethod"),
    Scopes: words("Scopes"),
    Mapping: Object.fromEntries(claims),
    Provisioning: form.get("Provisioning"),
    AllowedDomains: words("AllowedDomains"),
    AllowedTenants: words("AllowedTenants"),
    RequireVerifiedEmail: form.get("RequireVerifiedEmail") === "true",
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
        <Addresses state={state} type={type} isNew={isNew} />
        <TextField state={state} name="ClientId" label="ClientId" hint="What the provider knows us by." required />
        <TextField
          state={state}
          name="ClientSecret"
          label="ClientSecret"
          type="password"
          autocomplete="new-password"
          hint={
            isNew
              ? "As the provider gave it."
              : `Left empty, it stays as it is. It is never shown. With another ${type === "OAuth2" ? "token endpoint" : "issuer"} it has to be given again.`
          }
          required={false}
        />
        <Checkbox state={state} name="NoSecret" label="The provider gave us no secret" />
        <SelectField
          state={state}
          name="TokenEndpointAuthMethod"
          label="How the secret is sent"
          options={[
            { value: "", label: "As the provider's metadata says" },
            ...AUTH_METHODS.map((value) => ({ value, label: value })),
          ]}
        />
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
        <TextField
          state={state}
          name="AllowedDomains"
          label="Domains"
          hint="Who is new needs a verified e-mail address at one of these, separated by spaces. Empty: no such rule."
          required={false}
        />
        <TextField
          state={state}
          name="AllowedTenants"
          label="Organisations there"
          hint="Who is new has to be of one of these, as Google's hd or Microsoft's tid names them. Empty: no such rule."
          required={false}
        />
        <Checkbox state={state} name="RequireVerifiedEmail" label="Who is new needs a verified e-mail address" />
        <Claims state={state} type={type} />
        <TextField state={state} name="ExternalId" label="External Id" required={false} />
        <Checkbox
          state={state}
          name="AllowLocal"
          label="Passwords too"
          hint="Also to applications that name this provider as their way in."
        />
        <Checkbox
          state={state}
          name="Is_Active"
          label="Active"
          hint="One that is not active is not offered. Test the connection first."
        />
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

/** What the server holds a change to (egress/bound-secrets.ts). */
const MOVED = "With another one the ClientSecret has to be given again.";

interface AddressesProps {
  state: FormState;
  type: ProviderType;
  isNew: boolean;
}

function Addresses({ state, type, isNew }: AddressesProps): JSX.Element {
  if (type === "OpenIDConnect") {
    return (
      <TextField
        state={state}
        name="Issuer"
        label="Issuer"
        type="url"
        hint={`Its https address; all else is read from its metadata there.${isNew ? "" : ` ${MOVED}`}`}
        required
      />
    );
  }
  return (
    <>
      <TextField state={state} name="AuthorizationEndpoint" label="Authorization endpoint" type="url" required />
      <TextField
        state={state}
        name="TokenEndpoint"
        label="Token endpoint"
        type="url"
        hint={isNew ? undefined : MOVED}
        required
      />
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
