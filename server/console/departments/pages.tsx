// Departments: the parts of the organisation.

import { Badge, ButtonLink, Code, Facts, Section, Table, Time } from "../../ui/index.ts";
import type { Page, SettingsDependencies, View } from "../page.tsx";
import { Changed, listRecords, RecordActions, readRecord, Value } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { columns, DEPARTMENTS, type Department, listPage, pathOf, titleOf } from "./list.tsx";
import { addDepartment, addPage, changeDepartment, changePage, deleteDepartment, deletePage } from "./save.tsx";

export function departmentPages(deps: SettingsDependencies): Page[] {
  const one = `${DEPARTMENTS}/:id`;
  const read = ["AccessManager:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["AccessManager:Create", "AccessManager:Update"] as const;
  return [
    { path: DEPARTMENTS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${DEPARTMENTS}/add`,
      GET: { needs: write, answer: (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addDepartment(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => departmentPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: [...read, ...write], answer: (visit) => changePage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changeDepartment(deps, visit) },
    },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, "AccessManager:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["AccessManager:Delete"], answer: (visit) => deleteDepartment(deps, visit) },
    },
  ];
}

/** Of its parts; the list has all of them. */
const MOST_SHOWN = 20;

async function departmentPage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: department } = await readRecord<Department>(records.of("Department"), visit);
  const query = new URLSearchParams({ ParentId: String(department.Id), Limit: String(MOST_SHOWN) });
  const parts = await listRecords<Department>(records.of("Department"), visit, query);
  return {
    title: titleOf(department),
    above: [{ name: "Departments", path: DEPARTMENTS }],
    actions: (
      <RecordActions
        visit={visit}
        type="Department"
        record={department}
        title={titleOf(department)}
        path={pathOf(department)}
      />
    ),
    body: (
      <>
        <Section title="Department">
          <Facts facts={factsOf(visit, department)} />
          {department.Description ? (
            <p class="prose" safe>
              {department.Description}
            </p>
          ) : (
            ""
          )}
          <p>
            <a href={visit.href(`/settings/users?Department=${department.Id}`)}>Users of this department</a>
          </p>
        </Section>
        {parts.Items.length > 0 ? (
          <Section title="Its parts">
            <Table
              caption="Its parts"
              columns={columns(visit).filter(({ name }) => name !== "Part of")}
              rows={parts.Items as unknown as Department[]}
            />
            {parts.Next === null ? (
              ""
            ) : (
              <ButtonLink href={visit.href(`${DEPARTMENTS}?ParentId=${department.Id}`)}>All of its parts</ButtonLink>
            )}
          </Section>
        ) : (
          ""
        )}
      </>
    ),
  };
}

function factsOf(visit: Visit, department: Department): [string, JSX.Element][] {
  const { ParentId, ExternalId, Is_Active, CreatedOn, ModifiedOn, Id } = department;
  return [
    ["State", <Badge state={Is_Active ? "Active" : "Inactive"} />],
    ["External Id", <Value text={ExternalId} />],
    [
      "Part of",
      ParentId.Id ? (
        <a href={visit.href(pathOf(ParentId))} safe>
          {titleOf(ParentId)}
        </a>
      ) : (
        <span class="none">nothing</span>
      ),
    ],
    ["Created", <Time at={new Date(CreatedOn)} />],
    ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} />],
    ["Id", <Code text={String(Id)} copy />],
  ];
}
