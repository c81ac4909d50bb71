import { List } from "../../ui/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { pagingOf } from "../records/records.tsx";
import { grantColumns } from "../users/grants.tsx";
import { pathOf, readApplication, tabOf } from "./application.ts";

export async function grantsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const page = await deps.grants.listOfApplication(visit.permitted("Settings:Read"), application.Id, pagingOf(visit));
  return {
    ...tabOf(application),
    body: (
      <List
        visit={visit}
        caption="Users it can act for"
        found={{ page }}
        columns={grantColumns(visit, "User", `${pathOf(application)}/grants/revoke`)}
        empty={{ none: ["No users yet", "Users who sign in to it appear here, with what it may do for them."] }}
      />
    ),
  };
}
