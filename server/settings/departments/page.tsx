import { Badge, ButtonLink, Code, Facts, Section, Table, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { RecordActions } from "../records/actions.tsx";
import { listRecords, readRecord } from "../records/records.ts";
import { Changed, Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { DEPARTMENTS, type Department, pathOf, titleOf } from "./department.ts";
import { columns } from "./list.tsx";

/** Of its parts; the list has all of them. */
const MOST_SHOWN = 20;

export async function departmentPage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
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
