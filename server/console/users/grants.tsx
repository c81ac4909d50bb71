// Applications that may act for a user.

import type { UserGrantRecord } from "../../identity/index.ts";
import type { Page } from "../../platform/http/query.ts";
import {
  askColumn,
  ButtonLink,
  type Column,
  ISSUED_TOKENS,
  Link,
  List,
  ListSection,
  phrase,
  Text,
  Time,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { pagingOf, Value } from "../records/records.tsx";
import { nameOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, readPerson, USERS } from "./person.tsx";

const TITLE = "Applications with access";

export function grantsSection(visit: Visit, person: Person, page: Page<UserGrantRecord>): JSX.Element {
  const { Items, Next } = page;
  return (
    <ListSection
      title={TITLE}
      id="applications"
      columns={columns(visit, person)}
      rows={Items}
      none="No application can act on behalf of this user."
      buttons={
        Next !== null && <ButtonLink href={visit.href(`${pathOf(person)}/applications`)} label="All applications" />
      }
    />
  );
}

export async function grantsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const person = await readPerson(deps, visit);
  const page = await deps.grants.listOfUser(visit.permitted("Settings:Read"), String(person.Id), pagingOf(visit));
  return {
    title: TITLE,
    above: aboveOf(person),
    body: <List visit={visit} caption={TITLE} found={{ page }} columns={columns(visit, person)} />,
  };
}

const columns = (visit: Visit, person: Person) => grantColumns(visit, "Application", `${pathOf(person)}/grant/revoke`);

/**
 * @param other the type of the other record in each row
 * @param revoke the path of the form that takes that record's Id
 */
export function grantColumns(visit: Visit, other: "Application" | "User", revoke: string): Column<UserGrantRecord>[] {
  const nameOfOther = (grant: UserGrantRecord) => nameOf(other, grant[other]);
  const base = other === "User" ? USERS : "/settings/applications";
  return [
    {
      name: other,
      cell: (grant) => <Link href={visit.href(`${base}/${grant[other].Id}`)} text={nameOfOther(grant)} />,
    },
    { name: "API", cell: ({ Apis }) => <Value text={Apis.map(({ Name }) => Name).join(", ")} /> },
    { name: "Scopes", cell: ({ Scopes }) => <Text text={Scopes.join(" ")} /> },
    { name: "Since", cell: ({ GrantedOn }) => <Time at={GrantedOn} ago /> },
    { name: "Last used", cell: ({ LastUsedOn }) => <Time at={LastUsedOn} ago none="no live tokens" /> },
    ...askColumn<UserGrantRecord>(visit, visit.may("Settings:Update"), "Revoke", (grant) => ({
      action: revoke,
      label: "Revoke",
      about: nameOfOther(grant),
      question: askToRevoke(other, grant),
    })),
  ];
}

function askToRevoke(other: "Application" | "User", grant: UserGrantRecord): Confirmation & { name: string } {
  const name = nameOf(other, grant[other]);
  const of = other === "User" ? "Application" : "User";
  const { Id } = grant[of];
  const back = of === "User" ? `${USERS}/${Id}` : `/settings/applications/${Id}/grants`;
  return {
    name,
    title: other === "User" ? phrase`Revoke the access on behalf of ${name}?` : phrase`Revoke the access of ${name}?`,
    above: [{ name: nameOf(of, grant[of]), path: back }],
    effects: [
      "Its tokens for this user become invalid.",
      ISSUED_TOKENS,
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
