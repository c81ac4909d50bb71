// The provider accounts by which a User signs in.

import { IDENTITY_DATA, type IdentityRecord } from "../../identity/index.ts";
import { NotFound } from "../../platform/errors.ts";
import {
  askColumn,
  Badge,
  ButtonLink,
  type Column,
  Form,
  type FormState,
  formOf,
  ListSection,
  phrase,
  refusedForm,
  SelectField,
  Text,
  TextField,
  Time,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { providersOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, readPerson, USERS } from "./person.tsx";

export interface IdentitiesProps {
  visit: Visit;
  person: Person;
  identities: IdentityRecord[];
  mayChange: boolean;
  /** Also requires that a provider exists. */
  mayLink: boolean;
}

/** Empty if there are neither accounts nor providers. */
export function IdentitiesSection(props: IdentitiesProps): JSX.Element {
  const { visit, person, identities, mayChange, mayLink } = props;
  if (identities.length === 0 && !mayLink) return "";
  return (
    <ListSection
      title="Linked providers"
      id="identities"
      columns={columns(visit, person, mayChange)}
      rows={identities}
      none="This user has no linked account at a provider."
    >
      {mayLink && (
        <div class="buttons">
          <ButtonLink href={visit.href(`${pathOf(person)}/identity/link`)}>Link an account</ButtonLink>
        </div>
      )}
    </ListSection>
  );
}

const FIELDS = ["IdentityProviderId", "Subject"];

export async function linkPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const person = await readPerson(deps, visit);
  visit.caller.permissions.require("Settings:Update", "User", { ...person });
  const providers = await providersOf(deps, visit);
  const state = refused ?? formOf({ IdentityProviderId: providers[0]?.Id ?? "" });
  return {
    title: "Link an account",
    above: aboveOf(person),
    status: refused ? 422 : 200,
    body: (
      <div class="panel narrow">
        <Form visit={visit} action={`${pathOf(person)}/identity/link`} state={state}>
          <SelectField
            state={state}
            name="IdentityProviderId"
            label="Provider"
            options={providers.map(({ Id, Name }) => ({ value: Id, label: Name }))}
          />
          <TextField
            state={state}
            name="Subject"
            label="Known there as"
            hint="The account's subject at the provider. Its owner can then sign in as this user."
            required
          />
          <div class="buttons">
            <button type="submit" class="main">
              Link it
            </button>
            <ButtonLink href={visit.href(pathOf(person))}>Cancel</ButtonLink>
          </div>
        </Form>
      </div>
    ),
  };
}

export async function linkIdentity(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  const [IdentityProviderId, Subject] = FIELDS.map((name) => (form.get(name) ?? "").trim());
  try {
    const input = IDENTITY_DATA.parse({ IdentityProviderId, Subject });
    const { IdentityProvider } = await deps.users.linkIdentity(visit.permitted("Settings:Update"), params.id!, input);
    return visit.goTo(
      `${USERS}/${params.id}`,
      phrase`The account at ${IdentityProvider.Name} can now sign in as this user.`,
    );
  } catch (error) {
    return linkPage(deps, visit, refusedForm(form, error, FIELDS));
  }
}

function columns(visit: Visit, person: Person, mayChange: boolean): Column<IdentityRecord>[] {
  return [
    {
      name: "Provider",
      cell: (identity) => (
        <a href={visit.href(`/settings/identity-providers/${identity.IdentityProvider.Id}`)} safe>
          {nameOfProvider(identity)}
        </a>
      ),
    },
    { name: "Known there as", cell: ({ Subject }) => <Text text={Subject} /> },
    { name: "Since", cell: ({ LinkedOn }) => <Time at={new Date(LinkedOn)} ago /> },
    {
      name: "State",
      cell: ({ Is_Usable }) => <Badge state={Is_Usable ? "Active" : "Inactive"} />,
    },
    ...askColumn<IdentityRecord>(visit, mayChange, "Unlink", (identity) => ({
      action: `${pathOf(person)}/identity/unlink`,
      label: "Unlink",
      about: nameOfProvider(identity),
      question: askToUnlink(person, identity),
    })),
  ];
}

const nameOfProvider = ({ IdentityProvider: { Id, Name } }: IdentityRecord) => Name ?? `Identity provider ${Id}`;

function askToUnlink(person: Person, identity: IdentityRecord): Confirmation {
  return {
    title: phrase`Unlink ${nameOfProvider(identity)}?`,
    above: aboveOf(person),
    effects: ["It can no longer sign in as this user.", "Its sign-ins end."],
    confirm: "Unlink",
    fields: { identity: identity.Id },
    back: pathOf(person),
  };
}

export function unlinkPage(deps: ConsoleServices): ConsolePage {
  return confirming({
    path: `${USERS}/:id/identity/unlink`,
    needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
    async ask(visit) {
      const person = await readPerson(deps, visit);
      const { Items } = await deps.users.listIdentities(visit.permitted("Settings:Read"), String(person.Id));
      const identity = Items.find(({ Id }) => Id === visit.form.get("identity"));
      if (!identity) throw new NotFound("The User has no linked identity with this Id.");
      return askToUnlink(person, identity);
    },
    async act(visit) {
      const id = visit.params.id!;
      const caller = visit.permitted("Settings:Update");
      const { IdentityProvider: gone } = await deps.users.unlinkIdentity(caller, id, visit.form.get("identity") ?? "");
      const notice = phrase`${gone?.Name ?? "The provider"} can no longer sign in as this user. If there is no password, create a password link.`;
      return visit.goTo(`${USERS}/${id}`, notice);
    },
  });
}
