// The audit log: who did what, narrowed down by the address, and as a file.

import { AUDIT_EXPORT_FILTERS, type AuditRecord, exportResponse, toAuditFilter } from "../../audit/index.ts";
import { readAsked } from "../../http/inputs.ts";
import { Badge, Code, Facts, Section, Text, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { Page, View } from "../page.ts";
import { lookUpNames } from "../records/names.ts";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { auditFilters, listPage } from "./list.tsx";
import { AUDIT_LOG, namedIn, RecordLink } from "./row.tsx";

export function auditLogPages(deps: SettingsDependencies): Page[] {
  const read = ["Settings:Read"] as const;
  return [
    { path: AUDIT_LOG, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    { path: `${AUDIT_LOG}/export`, GET: { needs: read, answer: (visit) => exportFile(deps, visit) } },
    { path: `${AUDIT_LOG}/:id`, GET: { needs: read, answer: (visit) => eventPage(deps, visit) } },
  ];
}

async function exportFile({ auditLog }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { filters } = readAsked(AUDIT_EXPORT_FILTERS, auditFilters(visit));
  return exportResponse(
    await auditLog.export(visit.permitted("Settings:Read"), toAuditFilter(filters), filters.Format),
  );
}

async function eventPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const event = await deps.auditLog.read(visit.permitted("Settings:Read"), visit.params.id!);
  const name = await lookUpNames(deps, visit, namedIn([event]));
  const { Actor, Subject, ClientId } = event;
  const nobody = <span class="none">nobody who has proved who they are</span>;
  const none = <span class="none">none</span>;
  const client = ClientId === null ? null : { Type: "Application", Id: ClientId };
  return {
    title: event.Kind,
    above: [{ name: "Audit log", path: AUDIT_LOG }],
    body: (
      <>
        <Section title="What was done">
          <Facts
            facts={[
              ["Outcome", <Badge state={event.Outcome} />],
              ["When", <Time at={new Date(event.OccurredOn)} />],
              ["Who", Actor ? <RecordLink visit={visit} one={Actor} name={name} /> : nobody],
              ["To what", Subject ? <RecordLink visit={visit} one={Subject} name={name} /> : none],
              ["By or for application", client ? <RecordLink visit={visit} one={client} name={name} /> : none],
              ["Address", <Text text={event.Address} />],
              ["Browser or program", <Value text={event.UserAgent} />],
              ["RequestKey", event.RequestKey ? <Code text={event.RequestKey} copy /> : none],
              ["Id", <Code text={event.Id} copy />],
            ]}
          />
        </Section>
        <Details details={event.Details} />
      </>
    ),
  };
}

function Details({ details }: { details: AuditRecord["Details"] }): JSX.Element {
  if (Object.keys(details).length === 0) return "";
  return (
    <Section title="Details">
      <pre class="json">
        <code safe>{JSON.stringify(details, null, 2)}</code>
      </pre>
    </Section>
  );
}
