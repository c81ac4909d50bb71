// Sign-ins and issued access tokens by the hour.

import { Section } from "../../ui/index.ts";
import {
  BarChart,
  type BarChartProps,
  barOf,
  type ChartLinks,
  ChartTable,
  hoursSince,
  OVER_HOURS,
  type Series,
  type Slot,
} from "../chart.tsx";
import { type Figure, FigureList } from "../figures.tsx";
import type { ConsoleServices } from "../page.tsx";
import type { Visit } from "../visit.ts";
import type { OverviewPart } from "./webhooks.tsx";

type SignIns = NonNullable<Awaited<ReturnType<ConsoleServices["auditLog"]["signIns"]>>>;
type Tokens = NonNullable<Awaited<ReturnType<ConsoleServices["issued"]["since"]>>>;

const LAST = { Last: "24h" };

const NOTHING: OverviewPart = { body: "" };

/** From the bottom of a bar to its top; each has its kind in the audit log. */
const SIGN_INS = [
  { name: "One factor", swatch: "open", kind: "SignIn.Succeeded" },
  { name: "Two factors", swatch: "delivered", kind: "SignIn.Succeeded" },
  { name: "Wrong second factor", swatch: "held", kind: "SecondFactor.Failed" },
  { name: "Failed", swatch: "exhausted", kind: "SignIn.Failed" },
];

/** Empty for visitors who may not see all sign-ins. */
export async function signInsPart({ auditLog }: ConsoleServices, visit: Visit, since: Date): Promise<OverviewPart> {
  if (!visit.may("Settings:Read")) return NOTHING;
  const counted = await auditLog.signIns(visit.permitted("Settings:Read"), since);
  if (!counted) return NOTHING;
  const { whole, hours } = counted;
  const countsOf = (slot: Slot) => hours.find(({ hour }) => hour.getTime() === slot.from.getTime());
  const log = (filter: Record<string, string>) => visit.href(`/settings/audit-log?${new URLSearchParams(filter)}`);
  const kindOf = (name: string) => SIGN_INS.find((series) => series.name === name)!.kind;
  return {
    body: (
      <>
        <Section title="Sign-ins, last 24 hours" id="sign-ins">
          <SignInFigures signIns={whole} rows={(Kind) => log({ Kind, ...LAST })} />
          <HourChart
            title="Sign-ins"
            series={SIGN_INS}
            bars={hoursSince(since).map((slot) => barOf(slot, signInCounts(countsOf(slot))))}
            links={{
              ofSlot: (slot) => log(timeOf(slot)),
              ofSeries: (name) => log({ Kind: kindOf(name), ...LAST }),
            }}
          />
        </Section>
        <Section title="Active users, last 24 hours" id="active-users">
          <HourChart
            title="Different users who signed in"
            series={[{ name: "Different users", swatch: "delivered", whole: whole.people }]}
            bars={hoursSince(since).map((slot) => barOf(slot, [countsOf(slot)?.people ?? 0]))}
            links={{
              ofSlot: (slot) => log({ Kind: "SignIn.Succeeded", ...timeOf(slot) }),
              ofSeries: () => log({ Kind: "SignIn.Succeeded", ...LAST }),
            }}
          />
        </Section>
      </>
    ),
  };
}

function signInCounts(hour: SignIns["hours"][number] | undefined): number[] {
  if (!hour) return SIGN_INS.map(() => 0);
  return [hour.succeeded - hour.secondFactors, hour.secondFactors, hour.secondFactorsFailed, hour.failed];
}

interface SignInFiguresProps {
  signIns: SignIns["whole"];
  rows(kind: string): string;
}

/** Each number links to the audit rows that it counts, possibly among others. */
function SignInFigures({ signIns, rows }: SignInFiguresProps): JSX.Element {
  const { succeeded, people, secondFactors, failed, secondFactorsFailed } = signIns;
  const figure = (name: string, count: number, kind: string): Figure => ({
    name,
    value: count.toLocaleString("en"),
    href: rows(kind),
  });
  return (
    <FigureList
      figures={[
        figure("Signed in", succeeded, "SignIn.Succeeded"),
        figure("Different users", people, "SignIn.Succeeded"),
        figure("With a second factor", secondFactors, "SignIn.Succeeded"),
        figure("Failed", failed, "SignIn.Failed"),
        figure("Wrong second factor", secondFactorsFailed, "SecondFactor.Failed"),
      ]}
    />
  );
}

/** Empty for visitors who may not see all requests. */
export async function tokensPart({ issued }: ConsoleServices, visit: Visit, since: Date): Promise<OverviewPart> {
  if (!visit.may("Settings:Read")) return NOTHING;
  const hours = await issued.since(visit.permitted("Settings:Read"), since);
  if (!hours) return NOTHING;
  const grants = [...new Set(hours.map(({ grantType }) => grantType))].toSorted(inOrder);
  const requests = (time: Record<string, string>) =>
    visit.href(`/settings/requests?${new URLSearchParams({ Route: "/token", Status: "2xx", ...time })}`);
  return {
    body: (
      <Section title="Tokens issued, last 24 hours" id="tokens">
        <HourChart
          title="Access tokens issued"
          series={grants.map((grant, index) => ({ name: wordsOf(grant), swatch: SWATCHES[index] ?? SWATCHES.at(-1)! }))}
          bars={hoursSince(since).map((slot) => barOf(slot, tokenCounts(grants, hours, slot)))}
          links={{ ofSlot: (slot) => requests(timeOf(slot)), ofSeries: () => requests(LAST) }}
        />
      </Section>
    ),
  };
}

/** Common grants have fixed colours; others follow. */
const GRANTS = ["client_credentials", "authorization_code", "refresh_token"];
const SWATCHES = ["delivered", "open", "cancelled", "other", "held"];

function inOrder(one: string, other: string): number {
  const rank = (grant: string) => (GRANTS.includes(grant) ? GRANTS.indexOf(grant) : GRANTS.length);
  return rank(one) - rank(other) || one.localeCompare(other);
}

/** @example wordsOf("urn:ietf:params:oauth:grant-type:device_code") // "Device code" */
function wordsOf(grant: string): string {
  const words = grant.split(":").at(-1)!.replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function tokenCounts(grants: readonly string[], hours: Tokens, { from }: Slot): number[] {
  const own = hours.filter(({ hour }) => hour.getTime() === from.getTime());
  return grants.map((grant) => own.find(({ grantType }) => grantType === grant)?.count ?? 0);
}

const timeOf = ({ from, to }: Slot) => ({ From: from.toISOString(), To: to.toISOString() });

function HourChart(
  chart: Omit<BarChartProps, "over" | "links"> & { links: ChartLinks; series: readonly Series[] },
): JSX.Element {
  if (chart.bars.every(({ total }) => total === 0)) return <p class="fine">None yet.</p>;
  return (
    <>
      <BarChart {...chart} over={OVER_HOURS} />
      <ChartTable {...chart} over={OVER_HOURS} />
    </>
  );
}
