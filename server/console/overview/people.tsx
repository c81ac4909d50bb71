// Sign-ins and issued access tokens.

import type { SignIns } from "../../records/index.ts";
import { barOf, ChartSection, type Slot } from "../chart.tsx";
import { type Figure, figureOf } from "../figures.tsx";
import type { ConsoleServices, Visit } from "../page.tsx";
import { byHour, type OverviewPart, type Period } from "./part.ts";

type HourOfTokens = NonNullable<Awaited<ReturnType<ConsoleServices["issued"]["since"]>>>[number];

/** From the bottom of a bar to its top; each has its kind in the audit log. */
const SIGN_INS = [
  { name: "One factor", swatch: "delivered", kind: "SignIn.Succeeded" },
  { name: "Two factors", swatch: "open", kind: "SignIn.Succeeded" },
  { name: "Wrong second factor", swatch: "held", kind: "SecondFactor.Failed" },
  { name: "Failed", swatch: "exhausted", kind: "SignIn.Failed" },
];

/** Empty for visitors who may not see all sign-ins. */
export async function signInsPart({ auditLog }: ConsoleServices, visit: Visit, period: Period): Promise<OverviewPart> {
  if (!visit.may("Settings:Read")) return {};
  const caller = visit.permitted("Settings:Read");
  const [hours, counted] = await Promise.all([
    auditLog.signIns(caller, period.hours),
    auditLog.signIns(caller, period.slices),
  ]);
  if (!hours || !counted) return {};
  const { slots, span: Last, over } = period;
  const bySlot = new Map(counted.map((one) => [one.from.getTime(), one]));
  const log = (filter: Record<string, string>) => visit.href(`/settings/audit-log?${new URLSearchParams(filter)}`);
  const kindOf = (name: string) => SIGN_INS.find((series) => series.name === name)!.kind;
  const figure = (name: string, Kind: string, count: (one: SignIns) => number, badIfAny = false) =>
    figureOf(name, byHour(period, hours, count), log({ Kind, Last: "24h" }), badIfAny);
  const signIns = figure("Sign-ins, 24 h", "SignIn.Succeeded", ({ succeeded }) => succeeded);
  const byPasskey = figure("Sign-ins by passkey, 24 h", "SignIn.Succeeded", ({ passkeys }) => passkeys);
  return {
    figures: [
      signIns,
      { ...byPasskey, value: shareOf(byPasskey, signIns) },
      figure(
        "Failed sign-ins, 24 h",
        "SignIn.Failed",
        ({ failed, secondFactorsFailed }) => failed + secondFactorsFailed,
      ),
    ],
    charts: (
      <>
        <ChartSection
          id="sign-ins"
          title="Sign-ins"
          series={SIGN_INS}
          bars={slots.map((slot) => barOf(slot, countsOf(bySlot.get(slot.from.getTime()))))}
          over={over}
          links={{ ofSlot: (slot) => log(timeOf(slot)), ofSeries: (name) => log({ Kind: kindOf(name), Last }) }}
        />
        <ChartSection
          id="active-users"
          title="Different users who signed in"
          series={[
            {
              name: "Different users, at most",
              swatch: "other",
              whole: Math.max(0, ...counted.map(({ people }) => people)),
            },
          ]}
          bars={slots.map((slot) => barOf(slot, [bySlot.get(slot.from.getTime())?.people ?? 0]))}
          over={over}
          links={{
            ofSlot: (slot) => log({ Kind: "SignIn.Succeeded", ...timeOf(slot) }),
            ofSeries: () => log({ Kind: "SignIn.Succeeded", Last }),
          }}
        />
      </>
    ),
  };
}

function shareOf(some: Figure, all: Figure): string {
  const [part, whole] = [some, all].map(({ hours }) => hours.reduce((sum, count) => sum + count, 0));
  return whole ? `${Math.round((100 * part!) / whole)} %` : "–";
}

function countsOf(slice: SignIns | undefined): number[] {
  if (!slice) return SIGN_INS.map(() => 0);
  return [slice.succeeded - slice.secondFactors, slice.secondFactors, slice.secondFactorsFailed, slice.failed];
}

/** Tokens are counted by the hour, so shorter periods have no chart. Empty for visitors who may not see all requests. */
export async function tokensPart({ issued }: ConsoleServices, visit: Visit, period: Period): Promise<OverviewPart> {
  if (!visit.may("Settings:Read")) return {};
  const { slots, span: Last, over } = period;
  const oldest = Math.min(slots[0]!.from.getTime(), period.hours.starts[0]!.getTime());
  const hours = await issued.since(visit.permitted("Settings:Read"), new Date(oldest));
  if (!hours) return {};
  const isByHour = ["24h", "7d"].includes(Last);
  const grants = [...new Set(hours.map(({ grantType }) => grantType))].toSorted(inOrder);
  const requests = (time: Record<string, string>) =>
    visit.href(`/settings/requests?${new URLSearchParams({ Route: "/token", Status: "2xx", ...time })}`);
  const counts = byHour(
    period,
    hours.map(({ hour, count }) => ({ from: hour, count })),
    ({ count }) => count,
  );
  return {
    figures: [figureOf("Tokens issued, 24 h", counts, requests({ Last: "24h" }))],
    charts: (
      <ChartSection
        id="tokens"
        title="Access tokens issued"
        series={grants.map((grant, index) => ({ name: wordsOf(grant), swatch: SWATCHES[index] ?? SWATCHES.at(-1)! }))}
        bars={slots.map((slot) => barOf(slot, isByHour ? tokenCounts(grants, hours, slot) : grants.map(() => 0)))}
        none={isByHour ? undefined : "Counted by the hour, so from 24 h on."}
        over={over}
        links={{ ofSlot: (slot) => requests(timeOf(slot)), ofSeries: () => requests({ Last }) }}
      />
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

function tokenCounts(grants: readonly string[], hours: readonly HourOfTokens[], { from, to }: Slot): number[] {
  const own = hours.filter(({ hour }) => hour >= from && hour < to);
  return grants.map((grant) =>
    own.filter(({ grantType }) => grantType === grant).reduce((sum, { count }) => sum + count, 0),
  );
}

const timeOf = ({ from, to }: Slot) => ({ From: from.toISOString(), To: to.toISOString() });
