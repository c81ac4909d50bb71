import { Link, Text } from "../../ui/index.ts";
import type { EventRecord, SeenEvent } from "../../webhooks/index.ts";
import { lookUpNames, type NamedRecord, type NameOf } from "../records/names.ts";
import { RecordLink } from "../records/record-link.tsx";
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
  return <RecordLink visit={visit} one={{ Type: EventRecord, Id: RecordId }} name={name} isKnown none="not known" />;
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
  const rest = `${members.length > 0 ? "and " : ""}${more.toLocaleString("en")} ${members.length > 0 ? "more" : "records"}`;
  return (
    <span class="members">
      {members.map((one) => (
        <>
          <RecordLink visit={visit} one={one} name={name} isKnown none="not known" />{" "}
        </>
      ))}
      {more > 0 && <Text text={rest} />}
    </span>
  );
}

interface MembersProps {
  visit: Visit;
  members: readonly NamedRecord[];
  name: NameOf;
  count: number;
}

export function EventLink({ visit, id, text }: { visit: Visit; id: string; text: string }): JSX.Element {
  return <Link href={visit.href(`/settings/activity/${id}`)} text={text} />;
}
