// The provider accounts by which a User signs in.

import { IDENTITY_DATA, type IdentityRecord } from "../../identity/index.ts";
import {
  Badge,
  ButtonLink,
  Fields,
  FormPanel,
  type FormState,
  formOf,
  Link,
  phrase,
  refusedForm,
  Text,
  Time,
} from "../../ui/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { providersOf } from "../records/reference-field.tsx";
import { belonging, type OfPerson } from "./belongings.tsx";
import { aboveOf, pathOf, readPerson, USERS } from "./person.tsx";

const nameOfProvider = ({ IdentityProvider: { Id, Name } }: IdentityRecord) => Name ?? `Identity provider ${Id}`;

const identities = belonging<IdentityRecord>({
  title: "Linked providers",
  id: "identities",
  noun: "identity",
  verb: "Unlink",
  none: "This user has no linked account at a provider.",
  titleOf: nameOfProvider,
  columns: (visit) => [
    {
      name: "Provider",
      cell: (identity) => (
        <Link
          href={visit.href(`/settings/identity-providers/${identity.IdentityProvider.Id}`)}
          text={nameOfProvider(identity)}
        />
      ),
    },
    { name: "Known there as", cell: ({ Subject }) => <Text text={Subject} /> },
    { name: "Since", cell: ({ LinkedOn }) => <Time at={LinkedOn} ago /> },
    { name: "State", cell: ({ Is_Usable }) => <Badge state={Is_Usable ? "Active" : "Inactive"} /> },
  ],
  ask: (identity) => ({
    title: phrase`Unlink ${nameOfProvider(identity)}?`,
    effects: ["It can no longer sign in as this user.", "Its sign-ins end."],
    confirm: "Unlink",
  }),
  find: async ({ users }, by, userId, id) =>
    (await users.listIdentities(by, userId)).Items.find((one) => one.Id === id),
  async remove({ users }, by, userId, id) {
    const { IdentityProvider: gone } = await users.unlinkIdentity(by, userId, id);
    return phrase`${gone?.Name ?? "The provider"} can no longer sign in as this user. If there is no password, create a password link.`;
  },
});

export const unlinkPage = identities.removal;

/** Empty if there are neither accounts nor providers. @param mayLink requires that a provider exists */
export function identitiesSection(of: OfPerson, linked: readonly IdentityRecord[], mayLink: boolean): JSX.Element {
  if (linked.length === 0 && !mayLink) return "";
  const link = <ButtonLink href={of.visit.href(`${pathOf(of.person)}/identity/link`)} label="Link an account" />;
  return identities.section(of, linked, mayLink && link);
}

const FIELDS = ["IdentityProviderId", "Subject"];
const SUBJECT = {
  Subject: {
    label: "Known there as",
    hint: "The account's subject at the provider. Its owner can then sign in as this user.",
    required: true,
  },
} as const;

export async function linkPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const person = await readPerson(deps, visit);
  visit.caller.permissions.require("Settings:Update", "User", { ...person });
  const providers = await providersOf(deps, visit);
  const options = providers.map(({ Id, Name }) => ({ value: Id, label: Name }));
  const state = refused ?? formOf({ IdentityProviderId: providers[0]?.Id ?? "" });
  return {
    title: "Link an account",
    above: aboveOf(person),
    status: refused ? 422 : 200,
    body: (
      <FormPanel
        visit={visit}
        state={state}
        action={`${pathOf(person)}/identity/link`}
        back={pathOf(person)}
        label="Link it"
      >
        <Fields state={state} fields={{ IdentityProviderId: { label: "Provider", options }, ...SUBJECT }} />
      </FormPanel>
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
