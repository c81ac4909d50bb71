// In whose name an application may act.

import { firstPage, type Page } from "../../http/query.ts";
import type { UserGrantRecord } from "../../oauth/index.ts";
import { ButtonLink, Pager, phrase, Section, Table } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { pagingOf, readRecord } from "../records/records.tsx";
import { nameOf } from "../records/reference-field.tsx";
import { grantColumns } from "../users/grants.tsx";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, aboveOf, pathOf } from "./application.ts";

const TITLE = "Users it may act for";
/** Of a list that has a page of its own. */
const SHOWN = firstPage(10);

export function firstGrants({ grants }: SettingsDependencies, visit: Visit, { Id }: Application) {
  return grants.listOfApplication(visit.permitted("Settings:Read"), Id, SHOWN);
}

export interface GrantsProps {
  visit: Visit;
  application: Application;
  page: Page<UserGrantRecord>;
}

export function GrantsSection({ visit, application, page: { Items, Next } }: GrantsProps): JSX.Element {
  return (
    <Section title={TITLE} id="grants">
      {Items.length > 0 ? (
        <Table caption={TITLE} columns={columns(visit, application)} rows={Items} />
      ) : (
        <p class="fine">None yet.</p>
      )}
      {Next === null ? "" : <ButtonLink href={visit.href(`${pathOf(application)}/grants`)}>All users</ButtonLink>}
    </Section>
  );
}

/** All of them, a page at a time. */
export async function grantsPage({ records, grants }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: application } = await readRecord<Application>(records.of("Application"), visit);
  const { Items, Next } = await grants.listOfApplication(
    visit.permitted("Settings:Read"),
    application.Id,
    pagingOf(visit),
  );
  return {
    title: TITLE,
    above: aboveOf(application),
    body: (
      <>
        <Table caption={TITLE} columns={columns(visit, application)} rows={Items} />
        <Pager visit={visit} next={Next} />
      </>
    ),
  };
}

const columns = (visit: Visit, application: Application) =>
  grantColumns(visit, "User", `${pathOf(application)}/grants/revoke`);

export async function revokeGrant({ grants }: SettingsDependencies, visit: Visit): Promise<Response> {
  const id = visit.form.get("id") ?? "";
  // Who may not read the user is not told who it is.
  const { User: of } = await grants.revoke(visit.permitted("Settings:Update"), id, visit.params.id!);
  const name = of ? nameOf("User", of) : `User ${id}`;
  return visit.goTo(`${APPLICATIONS}/${visit.params.id}`, phrase`The access in the name of ${name} is revoked.`);
}
