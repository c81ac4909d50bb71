import { firstPage, type Page } from "../../http/query.ts";
import type { UserGrantRecord } from "../../oauth/index.ts";
import { ButtonLink, Pager, Section, Table } from "../../ui/index.ts";
import type { ConsoleServices, View } from "../page.tsx";
import { pagingOf, readRecord } from "../records/records.tsx";
import { grantColumns } from "../users/grants.tsx";
import type { Visit } from "../visit.ts";
import { type Application, aboveOf, pathOf } from "./application.ts";

const TITLE = "Users it can act for";
/** An excerpt; the full list has its own page. */
const SHOWN = firstPage(10);

export function firstGrants({ grants }: ConsoleServices, visit: Visit, { Id }: Application) {
  return grants.listOfApplication(visit.permitted("Settings:Read"), Id, SHOWN);
}

export interface ApplicationGrantsProps {
  visit: Visit;
  application: Application;
  page: Page<UserGrantRecord>;
}

export function GrantsSection({ visit, application, page: { Items, Next } }: ApplicationGrantsProps): JSX.Element {
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

export async function grantsPage({ records, grants }: ConsoleServices, visit: Visit): Promise<View> {
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
