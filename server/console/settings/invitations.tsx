// Invitations: mails by which people make their own Users.

import { SETTINGS } from "../../identity/index.ts";
import type { RecordOf } from "../../platform/http/fields.ts";
import { firstPage, MAX_LIMIT } from "../../platform/http/query.ts";
import type { SETTING } from "../../records/index.ts";
import {
  ActionButton,
  ButtonLink,
  bodyOf,
  Code,
  ContractFields,
  type Fact,
  Fields,
  formOf,
  formOfRecord,
  phrase,
  Section,
  Text,
  Time,
} from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "../page.tsx";
import { declaredKind } from "../records/declared.tsx";
import { lookUpNames, type NamedRecord } from "../records/names.ts";
import { RecordLink } from "../records/record-link.tsx";
import { recordPages } from "../records/record-pages.tsx";
import { Value } from "../records/records.tsx";
import { choiceOf } from "../records/reference-field.tsx";
import { IMPORTS, InviteMany, invitationImportPages } from "./invitation-imports.tsx";

const INVITATION = SETTINGS.invitations.type;
type InvitationRecord = RecordOf<(typeof INVITATION)["field"]>;
const INVITATIONS = "/settings/invitations";
const ROLES_HINT = INVITATION.field.Roles.form!.hint;
/** Roles are checkboxes. */
const PLAIN = ["Email", "Name", "DepartmentId"];

export function invitationPages(deps: ConsoleServices): ConsolePage[] {
  const { invitations } = deps;
  const about = "A person who is invited makes their own user, with a password, a verified mail address and roles.";
  const kind = declaredKind<InvitationRecord, ReturnType<typeof INVITATION.parse>, typeof SETTING>(
    INVITATION,
    invitations,
    {
      titleOf: ({ Email, Id }) => Email ?? String(Id),
      columns: [
        { name: "Name", cell: ({ Name }) => <Value text={Name} /> },
        { name: "State", cell: ({ State }) => <Text text={State} /> },
        { name: "Roles", cell: ({ Roles }) => <small safe>{Roles.join(", ")}</small> },
        { name: "Expires", cell: ({ ExpiresOn }) => <Time at={ExpiresOn} /> },
      ],
      list: {
        lead: (visit) => (
          <p class="fine">
            <a href={visit.href(IMPORTS)}>Imports of invitations</a> by a CSV file.
          </p>
        ),
        filters: async () => [
          { name: "Email", label: "Mail address, in full" },
          { name: "State", label: "State", options: STATE_OPTIONS },
        ],
        none: ["No invitations to see", about],
        noMatch: ["No invitation matches", about],
      },
      form: {
        add: {
          links: (visit) => (
            <>
              <InviteMany visit={visit} />
              <ButtonLink href={visit.href(`${INVITATIONS}/add`)} label="Add invitation" kind="main" />
            </>
          ),
        },
        async of(visit, held) {
          const { Roles = [] } = held?.record ?? {};
          const roles = await rolesFor(deps, visit, Roles);
          const departments = await choiceOf(deps.records.of("Department"), visit, undefined);
          return {
            state: held ? formOfRecord(INVITATION, INVITATION.form, { ...held.record }) : formOf(),
            fields: (state) => (
              <>
                <ContractFields
                  contract={INVITATION}
                  names={departments.options ? PLAIN : PLAIN.slice(0, 2)}
                  state={state}
                  isNew={!held}
                  more={{ DepartmentId: departments.options ?? [] }}
                />
                <Fields
                  state={state}
                  fields={{ Roles: { label: "Roles", hint: ROLES_HINT, options: roles, isSeveral: true } }}
                />
              </>
            ),
          };
        },
        body: async (visit) => ({
          ...bodyOf(INVITATION, visit.form.has("DepartmentId") ? PLAIN : PLAIN.slice(0, 2), visit.form),
          Roles: visit.form.getAll("Roles"),
        }),
        taken: () => "This address has an open invitation.",
      },
      page: {
        show: async (visit, { record }) => <Section title="Invitation" facts={await factsOf(visit, record)} />,
        actions: (visit, { record }) =>
          isOpen(record)
            ? { next: <ActionButton visit={visit} action={`${INVITATIONS}/${record.Id}/resend`} label="Send again" /> }
            : {},
        effects: ({ State, Email }) =>
          isOpen({ State })
            ? [
                phrase`The link that was sent to ${Email} stops working.`,
                "The invitation stays in the list as Revoked.",
              ]
            : ["It is removed from the list."],
      },
      messages: {
        added: (_, { Email = "" }) => phrase`The invitation is on its way to ${Email}.`,
        deleted: ({ Email = "", State }) =>
          State === "Revoked"
            ? phrase`The invitation of ${Email} is revoked.`
            : phrase`The invitation of ${Email} is removed.`,
      },
      more: [
        {
          path: `${INVITATIONS}/:id/resend`,
          POST: {
            needs: ["Settings:Update"],
            async answer(visit) {
              const { Email } = await invitations.resend(visit.permitted("Settings:Update"), visit.params.id!);
              return visit.goTo(
                `${INVITATIONS}/${visit.params.id}`,
                phrase`The invitation is on its way to ${Email} again.`,
              );
            },
          },
        },
      ],
    },
  );
  return [...recordPages(kind), ...invitationImportPages(deps)];
}

async function factsOf(visit: Visit, invitation: InvitationRecord): Promise<(Fact | "")[]> {
  const { Id, Name, State, Roles, DepartmentId, ExpiresOn, InvitedBy, User } = invitation;
  const people = [InvitedBy, User].filter(({ Type }) => Type !== "");
  const references = people.map((one) => ({ Type: one.Type, Id: String(one.Id) }));
  const department = { Type: "Department", Id: DepartmentId };
  const name = await lookUpNames(visit, [...references, ...(DepartmentId ? [department] : [])]);
  const link = (one: NamedRecord) => <RecordLink visit={visit} one={one} name={name} />;
  const labels = User.Type === "" ? ["Invited by"] : ["Invited by", "Accepted by"];
  return [
    ["Full name", <Value text={Name} />],
    ["State", <Text text={State} />],
    ["Expires", <Time at={ExpiresOn} />],
    ["Roles", <Value text={Roles.join(", ")} />],
    DepartmentId && ["Department", link(department)],
    ...references.map((one, index): Fact => [labels[index] ?? "Accepted by", link(one)]),
    ["Id", <Code text={Id} copy />],
  ];
}

const STATE_OPTIONS = ["", "Sent", "Accepted", "Expired", "Revoked"].map((value) => ({ value, label: value || "any" }));

const isOpen = ({ State }: Pick<InvitationRecord, "State">) => State === "Sent" || State === "Expired";

/** Also given ones that the visitor may not see. */
async function rolesFor({ roles }: ConsoleServices, visit: Visit, given: string[]) {
  const { Items } = await roles.list(visit.permitted("Settings:Read"), {}, firstPage(MAX_LIMIT));
  const seen = Items.map(({ Name, Description }) => ({ value: Name, label: Name, text: Description }));
  const unseen = given.filter((name) => !seen.some(({ value }) => value === name));
  return [...seen, ...unseen.map((name) => ({ value: name, label: name }))];
}
