import type { EntityService } from "../records/index.ts";
import { ButtonLink, ListSection, phrase } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "./page.tsx";
import { entityPages } from "./records/entities.tsx";
import { entityColumns, RecordSection } from "./records/record-section.tsx";
import { listRecords } from "./records/records.tsx";
import { nameOf, type ReferenceChoice } from "./records/reference-field.tsx";

const PATH = "/settings/departments";

/** The maximum number of members on the page; the list has all of them. */
const MAX_SHOWN = 20;

export function departmentPages(deps: ConsoleServices): ConsolePage[] {
  const departments = deps.records.of("Department");
  return entityPages<ReferenceChoice>(deps, "Department", {
    list: {
      none: ["No departments to see", "A department is a part of the organisation that users belong to."],
      noMatch: ["No matching departments", "The search matches parts of names and external Ids."],
    },
    page: {
      effects: (department) => [
        phrase`${nameOf("Department", department)} is deleted.`,
        "A department with users or other departments cannot be deleted: move them first.",
        "Webhook connections that listen to Department get its last state.",
      ],
      show: async (visit, { record }) => (
        <>
          <RecordSection visit={visit} declaration={departments.entity} record={record}>
            <p>
              <a href={visit.href(`/settings/users?Department=${record.Id}`)}>Users of this department</a>
            </p>
          </RecordSection>
          {(await partsOf(departments, visit, record)) as "safe"}
        </>
      ),
    },
  });
}

async function partsOf(departments: EntityService, visit: Visit, { Id }: ReferenceChoice): Promise<JSX.Element> {
  const query = new URLSearchParams({ ParentId: String(Id), Limit: String(MAX_SHOWN) });
  const { Items, Next } = await listRecords<ReferenceChoice>(departments, visit, query);
  const columns = entityColumns(departments.entity, visit, ["Name", "ExternalId", "Is_Active"]);
  return (
    <ListSection
      title="Parts"
      columns={columns}
      rows={Items}
      buttons={Next !== null && <ButtonLink href={visit.href(`${PATH}?ParentId=${Id}`)} label="All parts" />}
    />
  );
}
