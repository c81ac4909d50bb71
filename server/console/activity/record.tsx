import { Text } from "../../ui/index.ts";
import type { EventRecord, SeenEvent } from "../../webhooks/index.ts";
import { lookUpNames, type NamedRecord, type NameOf } from "../records/names.ts";
import type { Visit } from "../visit.ts";

type OfRecord = Pick<EventRecord, "EventRecord" | "RecordId" | "RecordCount">;

const MAX_NAMED = 10;

export function namesOfEvents(visit: Visit, events: readonly OfRecord[]): Promise<NameOf> {
  return lookUpNames(
    visit,
    events.flatMap(({ EventRecord, RecordId }) => (RecordId === null ? [] : { Type: EventRecord, Id: RecordId })),
  );
}

export function RecordCell({ visit, event, name }: { visit: Visit; event: OfRecord; name: NameOf }): JSX.Element {
  const { EventRecord, RecordId, RecordCount } = event;
  if (RecordId === null) return <Text text={`${RecordCount.toLocaleString("en")} records`} />;
  return <NameLink visit={visit} one={{ Type: EventRecord, Id: RecordId }} name={name} />;
}

/** The event's records that the reader may see. */
export function membersOf({ record, withheld, payload }: SeenEvent): NamedRecord[] {
  const { EventRecord, RecordId } = record;
  if (RecordId !== null) return [{ Type: EventRecord, Id: RecordId }];
  const data = withheld === null ? payload?.Data : undefined;
  const several = Array.isArray(data) ? (data as { Id: string | number }[]) : [];
  return several.slice(0, MAX_NAMED).map(({ Id }) => ({ Type: EventRecord, Id }));
}

export function Members({ visit, members, name, count }: MembersProps): JSX.Element {
  const more = count - members.length;
  return (
    <span class="members">
      {members.map((one) => (
        <>
          <NameLink visit={visit} one={one} name={name} />{" "}
        </>
      ))}
      {more > 0 && (
        <span
          safe
        >{`${members.length > 0 ? "and " : ""}${more.toLocaleString("en")} ${members.length > 0 ? "more" : "records"}`}</span>
      )}
    </span>
  );
}

interface MembersProps {
  visit: Visit;
  members: readonly NamedRecord[];
  name: NameOf;
  count: number;
}

/** A link to the record's page, unless it is deleted or hidden from the reader. */
function NameLink({ visit, one, name }: { visit: Visit; one: NamedRecord; name: NameOf }): JSX.Element {
  const [known, path] = [name.known(one), visit.pathOf(one)];
  if (known === undefined) return <span class="none">{"not known"}</span>;
  if (path === undefined) return <Text text={known} />;
  return (
    <a href={visit.href(path)} safe>
      {known}
    </a>
  );
}
