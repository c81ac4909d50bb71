// Applications that may act for a user.

import type { Page } from "../../http/query.ts";
import type { UserGrantRecord } from "../../oauth/index.ts";
import { AskButton, ButtonLink, Pager, phrase, Section, Table, Text, Time, TOKENS_ELSEWHERE } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { pagingOf, Value } from "../records/records.tsx";
import { nameOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, readPerson, USERS } from "./person.tsx";

const TITLE = "Applications with access";

export interface PersonGrantsProps {
  visit: Visit;
  person: Person;
  page: Page<UserGrantRecord>;
}

export function GrantsSection({ visit, person, page: { Items, Next } }: PersonGrantsProps): JSX.Element {
  return (
    <Section title={TITLE} id="applications">
      {Items.length > 0 ? (
        <Table caption={TITLE} columns={columns(visit, person)} rows={Items} />
      ) : (
        <p class="fine">No application can act on behalf of this user.</p>
      )}
      {Next === null ? (
        ""
      ) : (
        <ButtonLink href={visit.href(`${pathOf(person)}/applications`)}>All applications</ButtonLink>
      )}
    </Section>
  );
}

export async function grantsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const person = await readPerson(deps, visit);
  const { Items, Next } = await deps.grants.listOfUser(
    visit.permitted("Settings:Read"),
    String(person.Id),
    pagingOf(visit),
  );
  return {
    title: TITLE,
    above: aboveOf(person),
    body: (
      <>
        <Table caption={TITLE} columns={columns(visit, person)} rows={Items} />
        <Pager visit={visit} next={Next} />
      </>
    ),
  };
}

const columns = (visit: Visit, person: Person) => grantColumns(visit, "Application", `${pathOf(person)}/grant/revoke`);

/** @param other the table's other side @param revoke the path that takes its Id in a form */
export function grantColumns(visit: Visit, other: "Application" | "User", revoke: string) {
  const nameOfOther = (grant: UserGrantRecord) => nameOf(other, grant[other]);
  const base = other === "User" ? USERS : "/settings/applications";
  return [
    {
      name: other,
      cell: (grant: UserGrantRecord) => (
        <a href={visit.href(`${base}/${grant[other].Id}`)} safe>
          {nameOfOther(grant)}
        </a>
      ),
    },
    { name: "API", cell: ({ Apis }: UserGrantRecord) => <Value text={Apis.map(({ Name }) => Name).join(", ")} /> },
    { name: "Scopes", cell: ({ Scopes }: UserGrantRecord) => <Text text={Scopes.join(" ")} /> },
    { name: "Since", cell: ({ GrantedOn }: UserGrantRecord) => <Time at={new Date(GrantedOn)} ago /> },
    {
      name: "Last used",
      cell: ({ LastUsedOn }: UserGrantRecord) =>
        LastUsedOn === null ? <Text text="no live tokens" /> : <Time at={new Date(LastUsedOn)} ago />,
    },
    ...(visit.may("Settings:Update")
      ? [
          {
            name: "Revoke",
            cell: (grant: UserGrantRecord) => (
              <AskButton
                visit={visit}
                action={revoke}
                label="Revoke"
                about={nameOfOther(grant)}
                question={askToRevoke(other, grant)}
              />
            ),
          },
        ]
      : []),
  ];
}

function askToRevoke(other: "Application" | "User", grant: UserGrantRecord): Confirmation & { name: string } {
  const name = nameOf(other, grant[other]);
  const of = other === "User" ? "Application" : "User";
  const base = of === "User" ? USERS : "/settings/applications";
  const back = `${base}/${grant[of].Id}`;
  return {
    name,
    title: other === "User" ? phrase`Revoke the access on behalf of ${name}?` : phrase`Revoke the access of ${name}?`,
    above: [{ name: nameOf(of, grant[of]), path: back }],
    effects: [
      "Its tokens for this user become invalid.",
      TOKENS_ELSEWHERE,
      grant.Consented ? "It asks the user again." : "The user's next sign-in to it does not ask, as before.",
    ],
    confirm: "Revoke the access",
    fields: { id: String(grant[other].Id) },
    basis: [grant.Scopes, grant.Claims],
    back,
  };
}

/** @param other the type that the form identifies, not the path's `:id` */
export function revokePage(
  { grants }: ConsoleServices,
  path: string,
  other: "Application" | "User",
  notice: (name: string) => string,
): ConsolePage {
  const idsOf = (visit: Visit) => {
    const ids = [visit.params.id!, visit.form.get("id") ?? ""] as const;
    return other === "User" ? ([ids[1], ids[0]] as const) : ids;
  };
  return confirming({
    path,
    needs: ["Settings:Read", "Settings:Update"],
    ask: async (visit) => askToRevoke(other, await grants.read(visit.permitted("Settings:Read"), ...idsOf(visit))),
    async act(visit, { name, back }) {
      await grants.revoke(visit.permitted("Settings:Update"), ...idsOf(visit));
      return visit.goTo(back, notice(name));
    },
  });
}
