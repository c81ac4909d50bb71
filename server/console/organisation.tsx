import { tenants } from "../identity/index.ts";
import {
  ButtonLink,
  bodyOf,
  ContractForm,
  Facts,
  type FormState,
  formFields,
  formOfRecord,
  labelsOf,
  refusedForm,
  Text,
  textOf,
} from "../ui/index.ts";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "./page.tsx";
import { ORGANISATION, REGISTRATION_TOKENS } from "./registration-tokens.tsx";
import { scopesOfApis } from "./settings/apis.tsx";

const ELSEWHERE: readonly string[] = tenants.BRANDING_NAMES;
const NAMES = formFields(tenants.TENANT_SETTINGS).filter((name) => !ELSEWHERE.includes(name));
/** The settings of everyone's sign-in come first. */
const SECTIONS = {
  Registration: ["ClientRegistration", "ClientIdMetadataDocuments", "RegistrationScopes"],
  Passkeys: ["Passkeys", "PasskeysRequiredFrom", "PasskeyModels"],
  Mail: ["ReplyTo"],
  Limits: NAMES.filter((name) => name.startsWith("Max") || name === "RetentionDays"),
  Attributes: NAMES.filter((name) => name.endsWith("Attributes")),
};
const LABELS = labelsOf(tenants.TENANT_SETTINGS);

export function organisationPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    {
      path: ORGANISATION,
      area: "Organisation",
      GET: on(["Settings:Read"], organisationPage),
      POST: on(["Settings:Update"], change),
    },
  ];
}

async function organisationPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const record: Record<string, unknown> = { ...(await deps.ownTenant.read(visit.caller)) };
  const { tenantId } = visit.caller;
  const mayChange = visit.may("Settings:Update", tenants.TENANT_SETTINGS.name, { ...record, Id: tenantId });
  return {
    title: "Organisation",
    status: refused ? 422 : 200,
    lead: <p class="fine" safe>{`Settings for all of ${visit.organisation}.`}</p>,
    actions: <ButtonLink href={visit.href(REGISTRATION_TOKENS)} label="Initial access tokens" />,
    body: mayChange ? (
      <ContractForm
        visit={visit}
        contract={tenants.TENANT_SETTINGS}
        names={NAMES}
        sections={SECTIONS}
        state={refused ?? formOfRecord(tenants.TENANT_SETTINGS, NAMES, record)}
        action={ORGANISATION}
        back="/settings"
        label="Save"
        version=""
        more={{ RegistrationScopes: await scopesOfApis(deps, visit, texts(record.RegistrationScopes)) }}
      />
    ) : (
      <Facts
        facts={NAMES.map((name) => [
          LABELS[name]!,
          <Text text={factOf(name as keyof typeof tenants.TENANT_SETTINGS.field, record[name])} />,
        ])}
      />
    ),
  };
}

function factOf(name: keyof typeof tenants.TENANT_SETTINGS.field, value: unknown): string {
  const field = tenants.TENANT_SETTINGS.field[name];
  return Array.isArray(value) && "line" in field.form!
    ? textOf(value as never[], field)
    : [value ?? ""].flat().join(", ");
}

const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

async function change(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  try {
    const body = bodyOf(tenants.TENANT_SETTINGS, NAMES, visit.form);
    await deps.ownTenant.change(visit.permitted("Settings:Update"), tenants.TENANT_SETTINGS.parse(body), body);
    return visit.goTo(ORGANISATION, "Saved. Takes effect with each user's next request.");
  } catch (error) {
    return organisationPage(deps, visit, refusedForm(visit.form, error, NAMES, LABELS));
  }
}
