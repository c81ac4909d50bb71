import type { UserGrantRecord } from "../../identity/index.ts";
import { firstPage, type Page } from "../../platform/http/query.ts";
import { ButtonLink, List, ListSection } from "../../ui/index.ts";
import type { ConsoleServices, View } from "../page.tsx";
import { pagingOf } from "../records/records.tsx";
import { grantColumns } from "../users/grants.tsx";
import type { Visit } from "../visit.ts";
import { type Application, aboveOf, pathOf, readApplication } from "./application.ts";

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
    <ListSection title={TITLE} id="grants" columns={columns(visit, application)} rows={Items} none="None yet.">
      {Next === null ? "" : <ButtonLink href={visit.href(`${pathOf(application)}/grants`)}>All users</ButtonLink>}
    </ListSection>
  );
}

export async function grantsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const page = await deps.grants.listOfApplication(visit.permitted("Settings:Read"), application.Id, pagingOf(visit));
  return {
    title: TITLE,
    above: aboveOf(application),
    body: <List visit={visit} caption={TITLE} found={{ page }} columns={columns(visit, application)} />,
  };
}

const columns = (visit: Visit, application: Application) =>
  grantColumns(visit, "User", `${pathOf(application)}/grants/revoke`);
