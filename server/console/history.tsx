// A record's history: its events and audit entries. Every page with a `record` gets these tabs.

import { firstPage } from "../platform/http/query.ts";
import { ButtonLink, ListSection } from "../ui/index.ts";
import { CAPTION, eventColumns } from "./activity/list.tsx";
import { AUDIT_LOG, auditColumns } from "./audit-log.tsx";
import type { ConsolePage, ConsoleServices, PageRecord, View, Visit } from "./page.tsx";

const MAX_SHOWN = 20;

export function historyPages(deps: ConsoleServices, pages: readonly ConsolePage[]): ConsolePage[] {
  return pages.flatMap(({ path, record, shows, GET }) => {
    // Only the record's own page gets the tabs.
    if (!record || !shows || !GET) return [];
    const tabs = [
      {
        tab: "Events",
        isThere: isOneOf(deps.eventLog.filters.EventRecord.words, record.type),
        scope: "Webhooks:Read" as const,
        show: eventsPage,
      },
      {
        tab: "Audit",
        isThere: isOneOf([...deps.auditLog.subjects, ...deps.auditLog.filters.ActorType.words], record.type),
        scope: "Settings:Read" as const,
        show: auditPage,
      },
    ];
    return tabs
      .filter(({ isThere }) => isThere)
      .map(
        ({ tab, scope, show }): ConsolePage => ({
          path: `${path}/${tab.toLowerCase()}`,
          record,
          tab,
          GET: { needs: [...GET.needs, scope], answer: (visit) => show(deps, visit, record) },
        }),
      );
  });
}

async function eventsPage(deps: ConsoleServices, visit: Visit, { type, read }: PageRecord): Promise<View> {
  const { id, title, above } = await read(visit);
  const filter = { EventRecord: type, RecordId: id };
  const { Items, Next } = await deps.eventLog.list(visit.caller, filter, firstPage(MAX_SHOWN));
  const all = visit.href(`/settings/activity?EventRecord=${type}&RecordId=${id}`);
  return {
    title,
    above,
    body: (
      <ListSection
        title="Events"
        caption={CAPTION}
        columns={await eventColumns(visit, Items)}
        rows={Items}
        none={noneYet(Next)}
        buttons={<ButtonLink href={all} label="All in the activity log" />}
      />
    ),
  };
}

async function auditPage(deps: ConsoleServices, visit: Visit, { type, read }: PageRecord): Promise<View> {
  const { id, title, above } = await read(visit);
  const sections = [
    { name: "Actions on it", by: "Subject", isThere: isOneOf(deps.auditLog.subjects, type) },
    { name: "Actions by it", by: "Actor", isThere: isOneOf(deps.auditLog.filters.ActorType.words, type) },
  ];
  const shown = sections.filter(({ isThere }) => isThere);
  const found = await Promise.all(
    shown.map(async ({ name, by }) => {
      const filter = { [`${by}Type`]: type, [`${by}Id`]: id };
      const { Items, Next } = await deps.auditLog.list(visit.permitted("Settings:Read"), filter, firstPage(MAX_SHOWN));
      return (
        <ListSection
          title={name}
          columns={await auditColumns(visit, Items)}
          rows={Items}
          none={noneYet(Next)}
          buttons={
            <ButtonLink
              href={visit.href(`${AUDIT_LOG}?${by}Type=${type}&${by}Id=${id}`)}
              label="All in the audit log"
            />
          }
        />
      );
    }),
  );
  return { title, above, body: <>{found as "safe"[]}</> };
}

function noneYet(next: string | null): string {
  const why = next === null ? "Its changes are listed here." : "The log may contain older entries that you can see.";
  return `Nothing yet. ${why}`;
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word);
}
