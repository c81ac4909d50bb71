import { NotFound } from "../../platform/errors.ts";
import { etagOf, UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { firstPage, MAX_LIMIT } from "../../platform/http/query.ts";
import type { PolicyRecord, PolicyVersion } from "../../records/index.ts";
import { ActionButton, type Column, Link, phrase, Section, sealedFields, Table, Time } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { differenceOf, type Line } from "./difference.ts";
import { POLICIES } from "./trial-outcome.tsx";

/** A page size above the number of stored versions, so that one page has all. */
const ALL = firstPage(MAX_LIMIT);

export function versionPages(deps: ConsoleServices): ConsolePage[] {
  const read = ["Settings:Read"] as const;
  return [
    { path: `${POLICIES}/:id/versions`, GET: { needs: read, answer: (visit) => versionsPage(deps, visit) } },
    confirming({
      path: `${POLICIES}/:id/versions/restore`,
      needs: [...read, "Settings:Update"],
      async ask(visit) {
        const caller = visit.permitted("Settings:Read");
        const { record, version } = await deps.policies.read(caller, visit.params.id!);
        const { Items } = await deps.policies.versions(caller, visit.params.id!, ALL);
        return askToRestore(record, etagOf(version), numbered(Items, visit.form.get("Number") ?? ""));
      },
      // Restoring saves the old text as a new version.
      async act(visit, { basis, restored, back }) {
        const body = { Id: visit.params.id, Policy: restored.Policy };
        const unchanged = { ...UNCONDITIONAL, ifMatch: [basis] };
        await deps.policies.save(visit.permitted("Settings:Update"), body, unchanged, body);
        return visit.goTo(back, `Version ${restored.Number} is restored and in force.`);
      },
    }),
  ];
}

async function versionsPage({ policies }: ConsoleServices, visit: Visit): Promise<View> {
  const caller = visit.permitted("Settings:Read");
  const { record, version } = await policies.read(caller, visit.params.id!);
  const { Items: versions } = await policies.versions(caller, visit.params.id!, ALL);
  const shown = numbered(versions, visit.url.searchParams.get("Number") ?? "");
  const before = versions.find(({ Number: number }) => number < shown.Number);
  const restoring = `${POLICIES}/${record.Id}/versions/restore`;
  const asked = askToRestore(record, etagOf(version), shown);
  const mayRestore = shown.Policy !== record.Policy && visit.may("Settings:Update", "Policy", record);
  return {
    title: "Versions",
    above: [
      { name: "Policies", path: POLICIES },
      { name: record.Name, path: `${POLICIES}/${record.Id}` },
    ],
    body: (
      <>
        <Versions visit={visit} policy={record} versions={versions} shown={shown} />
        <Section title={`Version ${shown.Number}`}>
          <p class="fine" safe>
            {before
              ? phrase`Changes since version ${String(before.Number)}.`
              : "Earlier versions are no longer stored."}
          </p>
          <Difference lines={differenceOf(before?.Policy ?? shown.Policy, shown.Policy)} />
          {mayRestore && (
            <ActionButton
              visit={visit}
              action={restoring}
              label={asked.confirm}
              fields={sealedFields(visit, restoring, asked)}
            />
          )}
        </Section>
      </>
    ),
  };
}

function askToRestore(policy: PolicyRecord, basis: string, restored: PolicyVersion) {
  const back = `${POLICIES}/${policy.Id}`;
  return {
    title: `Restore version ${restored.Number}?`,
    above: [{ name: policy.Name, path: back }],
    effects: ["Its text is in force at once.", "The current text is kept as a version."],
    confirm: `Restore version ${restored.Number}`,
    fields: { Number: String(restored.Number) },
    basis,
    restored,
    back,
  } satisfies Confirmation & { restored: PolicyVersion };
}

/** @param text a version's number; "": the newest @throws NotFound */
function numbered(versions: readonly PolicyVersion[], text: string): PolicyVersion {
  const found = text ? versions.find(({ Number: number }) => String(number) === text) : versions[0];
  if (!found) throw new NotFound("Version not found. The last 50 versions of a policy are kept.");
  return found;
}

interface VersionsProps {
  visit: Visit;
  policy: PolicyRecord;
  versions: readonly PolicyVersion[];
  shown: PolicyVersion;
}

function Versions({ visit, policy, versions, shown }: VersionsProps): JSX.Element {
  const path = visit.href(`${POLICIES}/${policy.Id}/versions`);
  const columns: Column<PolicyVersion>[] = [
    {
      name: "Version",
      cell: ({ Number: number }) => (
        <Link href={`${path}?Number=${number}`} isCurrent={number === shown.Number} text={String(number)} />
      ),
    },
    { name: "Saved", cell: ({ SavedOn }) => <Time at={SavedOn} /> },
    { name: "By", cell: ({ SavedBy }) => <By visit={visit} by={SavedBy} /> },
  ];
  return <Table caption="Versions" columns={columns} rows={[...versions]} />;
}

function By({ visit, by }: { visit: Visit; by: PolicyVersion["SavedBy"] }): JSX.Element {
  if (!by?.Id) return <span class="none">created with the tenant</span>;
  return <Link href={visit.href(visit.pathOf(by) ?? POLICIES)} text={by.Name || `${by.Type} ${by.Id}`} />;
}

const SIGNS: Record<Line["kind"], string> = { same: " ", gone: "−", new: "+" };
const WORDS: Record<Line["kind"], string> = { same: "", gone: "gone: ", new: "new: " };

/** Marks removed and added lines by sign and for screen readers, not only by colour. */
function Difference({ lines }: { lines: Line[] }): JSX.Element {
  return (
    <ol class="difference code">
      {lines.map(({ kind, text }) => (
        <li class={kind}>
          <span aria-hidden="true" safe>
            {SIGNS[kind]}
          </span>
          <span class="unseen" safe>
            {WORDS[kind]}
          </span>
          <code safe>{text}</code>
        </li>
      ))}
    </ol>
  );
}
