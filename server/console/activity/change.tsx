// What an event has changed: its record's fields, before and after.

import { type Column, Section, Table, Text, Time } from "../../ui/index.ts";
import { PING, type SeenEvent } from "../../webhooks/index.ts";
import type { SettingsDependencies } from "../page.tsx";
import type { Visit } from "../visit.ts";

type Fields = Record<string, unknown>;

/** A field that differs. */
interface Difference {
  name: string;
  before: unknown;
  after: unknown;
}

export async function changeSection(deps: SettingsDependencies, visit: Visit, event: SeenEvent): Promise<JSX.Element> {
  if (event.record.EventType === PING) return "";
  return (
    <Section title="What changed" id="change">
      {(await whatChanged(deps, visit, event)) as "safe"}
    </Section>
  );
}

async function whatChanged(deps: SettingsDependencies, visit: Visit, event: SeenEvent): Promise<JSX.Element> {
  const { record, withheld } = event;
  if (record.EventType === "Created") return <p class="fine">The record was made: there is no state before.</p>;
  if (record.RecordId === null)
    return <p class="fine">It is of several records. Each record's own page has its events.</p>;
  if (withheld !== null) return <p class="fine">It is not told: your policies do not let you read the record.</p>;
  const before = await readBefore(deps, visit, event);
  if (before === "hidden") return <p class="fine">It is not told: you may not read the event of the change before.</p>;
  if (before === undefined) return <p class="fine">It is not known: the event of the change before is not kept.</p>;
  const differences = differencesOf(before.data, event.payload.Data as Fields);
  return (
    <>
      {record.EventType === "Deleted" ? <p class="fine">The record is gone; this is its last state.</p> : ""}
      {differences.length > 0 ? (
        <Table caption="Fields that changed" columns={COLUMNS} rows={differences} />
      ) : (
        <p class="fine">No field differs.</p>
      )}
      <p class="after">
        <a href={visit.href(`/settings/activity/${before.id}`)}>The change before</a>
      </p>
    </>
  );
}

/** The record as it was. */
async function readBefore({ eventLog }: SettingsDependencies, { caller }: Visit, event: SeenEvent) {
  const before = await eventLog.readBefore(caller, event);
  if (typeof before !== "object") return before;
  const { record, payload, withheld } = before;
  const data = [payload.Data].flat().find((one) => String((one as Fields)?.Id) === event.record.RecordId);
  return withheld === null && data ? { id: record.EventId, data: data as Fields } : "hidden";
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
/** Characters; the payload has all of it. */
const MOST_SHOWN = 300;

/** As people read it: what a record points at by its name, a time by their own clock. */
function Shown({ value }: { value: unknown }): JSX.Element {
  if (value === undefined || value === null || value === "") return <span class="none">none</span>;
  if (typeof value === "string" && TIME.test(value)) return <Time at={new Date(value)} />;
  const { Name, Id } = Object(value);
  const text = typeof value === "object" ? String(Name || Id || JSON.stringify(value)) : String(value);
  return <Text text={text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text} />;
}
