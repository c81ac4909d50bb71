// The limits of the organisation, what it uses of each, and what to do near one.

import type { Used } from "../platform/limits/index.ts";
import { LIMITS, type LimitName, NEAR_PERCENT } from "../platform/tenant-limits.ts";
import { Section, Table, Text } from "../ui/index.ts";
import type { ConsoleServices, Visit } from "./page.tsx";
import { ORGANISATION } from "./registration-tokens.tsx";

/** Counts of records that the caller may not read would reveal them. */
export async function limitsSection({ limits, records }: ConsoleServices, visit: Visit): Promise<JSX.Element> {
  const { tenantId, gate } = visit.caller;
  const counted: Partial<Record<LimitName, string[]>> = {
    MaxRecords: records.all.map(({ entity }) => entity.name),
    MaxConnections: ["WebhookConnection"],
    MaxEventsPerDay: ["WebhookEvent"],
    MaxStorageMegabytes: ["WebhookEvent", "AuditEvent"],
  };
  const rows = (await limits.read(tenantId)).filter(({ name }) => (counted[name] ?? []).every(gate.seesAll));
  const near = rows.filter(({ used, bound }) => 100 * used >= NEAR_PERCENT * bound);
  return (
    <Section title="Limits">
      {near.map(({ name, used, bound }) => (
        <p role="alert" class={used < bound ? "warning" : "problem"} safe>
          {`${LIMITS[name].label}: ${percentOf(used, bound)} of the limit is used. ${LIMITS[name].cure}, or raise ${name}.`}
        </p>
      ))}
      <Table caption="Limits" columns={COLUMNS} rows={rows} />
      <p>
        Lower limits can be set on <a href={visit.href(ORGANISATION)}>Organisation</a>. At a limit, changes are rejected
        with its name. Records and storage are measured once an hour.
      </p>
    </Section>
  );
}

const COLUMNS = [
  { name: "Limit", cell: ({ name }: Used) => <Text text={LIMITS[name].label} /> },
  { name: "Used", cell: ({ used, bound }: Used) => <Text text={`${inWords(used)} (${percentOf(used, bound)})`} /> },
  {
    name: "Share",
    cell: ({ name, used, bound }: Used) => (
      <meter
        aria-label={LIMITS[name].label}
        max="100"
        low={String(NEAR_PERCENT)}
        high="100"
        optimum="0"
        value={String((100 * used) / bound)}
      />
    ),
  },
  { name: "At most", cell: ({ bound }: Used) => <Text text={inWords(bound)} /> },
];

const inWords = (count: number) => count.toLocaleString("en");
const percentOf = (used: number, bound: number) => `${Math.floor((100 * used) / bound)} %`;
