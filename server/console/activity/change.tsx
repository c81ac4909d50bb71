// An event's changes: the fields of its records, before and after.

import { AUDIT_RECORD, PING } from "../../records/index.ts";
import { type Column, phrase, Section, Table, Text, Time } from "../../ui/index.ts";
import type { SeenEvent } from "../../webhooks/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import { nameOfRecord } from "../records/names.ts";

type Fields = Record<string, unknown>;

/** The maximum number of tables for an event with several records; each record links to its own event. */
const MAX_RECORDS = 10;

interface Difference {
  name: string;
  before: unknown;
  after: unknown;
}

export async function changeSection(deps: ConsoleServices, visit: Visit, event: SeenEvent): Promise<JSX.Element> {
  if (event.record.EventType === PING || event.record.EventRecord === AUDIT_RECORD) return "";
  return (
    <Section title="Changes" id="change">
      {(await whatChanged(deps, visit, event)) as "safe"}
    </Section>
  );
}

async function whatChanged({ eventLog }: ConsoleServices, visit: Visit, event: SeenEvent): Promise<JSX.Element> {
  const { record, withheld, payload } = event;
  const isOne = record.RecordId !== null;
  if (record.EventType === "Created")
    return (
      <p class="fine" safe>
        {`The ${isOne ? "record was" : "records were"} created: there is no earlier state.`}
      </p>
    );
  if (withheld !== null)
    return (
      <p class="fine" safe>{`Hidden: your policies do not let you read ${isOne ? "the record" : "every record"}.`}</p>
    );
  if (payload === null) return <p class="fine">It is no longer known: the payload was removed.</p>;
  const all = [payload.Data].flat() as Fields[];
  const shown = all.slice(0, MAX_RECORDS);
  const before = await eventLog.readBefore(visit.caller, event, shown.map(idOf));
  const changes = shown.map((data) => {
    const title = nameOfRecord(record.EventRecord, data);
    return {
      title,
      change: <Change visit={visit} event={event} title={title} data={data} before={before.get(idOf(data))} />,
    };
  });
  if (isOne) return <>{changes.map(({ change }) => change)}</>;
  return (
    <>
      {changes.map(({ title, change }) => (
        <>
          <h3 safe>{title}</h3>
          {change as "safe"}
        </>
      ))}
      {all.length > shown.length && (
        <p class="fine" safe>
          {`And ${(all.length - shown.length).toLocaleString("en")} more. Each record's own page has its events.`}
        </p>
      )}
    </>
  );
}

interface ChangeProps {
  visit: Visit;
  event: SeenEvent;
  title: string;
  /** One record of the event, in its state after it. */
  data: Fields;
  /** The event of the record's previous change. */
  before: SeenEvent | "hidden" | "gone" | undefined;
}

function Change({ visit, event, title, data, before }: ChangeProps): JSX.Element {
  if (before === undefined) return <p class="fine">This is the record's first change.</p>;
  if (before === "gone") return <p class="fine">Unknown: the event of the previous change is no longer kept.</p>;
  if (before !== "hidden" && before.payload === null)
    return <p class="fine">Unknown: the payload of the previous change is no longer kept.</p>;
  const old = before === "hidden" ? undefined : dataOf(before, idOf(data));
  if (before === "hidden" || !old)
    return <p class="fine">Not shown: you may not read the event of the previous change.</p>;
  const differences = differencesOf(old, data);
  return (
    <>
      {event.record.EventType === "Deleted" ? <p class="fine">The record was deleted; this is its last state.</p> : ""}
      {differences.length > 0 ? (
        <Table caption={phrase`Fields of ${title} that changed`} columns={COLUMNS} rows={differences} />
      ) : (
        <p class="fine">No field changed.</p>
      )}
      <p class="after">
        <a href={visit.href(`/settings/activity/${before.record.EventId}`)}>Previous change</a>
      </p>
    </>
  );
}

const idOf = ({ Id }: Fields) => String(Id);

/** A record's state after an event; undefined: the reader may not see it. */
function dataOf({ payload, withheld }: SeenEvent, id: string): Fields | undefined {
  return withheld === null ? ([payload?.Data ?? []].flat() as Fields[]).find((one) => idOf(one) === id) : undefined;
}

function differencesOf(before: Fields, after: Fields): Difference[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .map((name) => ({ name, before: before[name], after: after[name] }))
    .filter((one) => !Bun.deepEquals(one.before, one.after));
}

const COLUMNS: Column<Difference>[] = [
  { name: "Field", cell: ({ name }) => <Text text={name} /> },
  { name: "Before", cell: ({ before }) => <Shown value={before} /> },
  { name: "After", cell: ({ after }) => <Shown value={after} /> },
];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** The maximum number of characters; the payload has the full value. */
const MAX_SHOWN = 300;

function Shown({ value }: { value: unknown }): JSX.Element {
  if (value === undefined || value === null || value === "") return <span class="none">none</span>;
  if (typeof value === "string" && TIME.test(value)) return <Time at={value} />;
  const { Name, Id } = Object(value);
  const text = typeof value === "object" ? String(Name || Id || JSON.stringify(value)) : String(value);
  return <Text text={text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text} />;
}
