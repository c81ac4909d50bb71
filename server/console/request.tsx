// A request of a client: its answer, and what it has changed.

import { firstPage } from "../platform/http/query.ts";
import { Badge, ButtonLink, Code, ListSection, Section, Text, Time } from "../ui/index.ts";
import { auditColumns } from "./audit-log.tsx";
import type { ConsolePage, ConsoleServices, View, Visit } from "./page.tsx";
import { lookUpNames } from "./records/names.ts";
import { RecordLink } from "./records/record-link.tsx";
import { clientOf, millisecondsInWords, REQUESTS, titleOfRequest, toneOf } from "./requests.tsx";

/** The maximum number of entries on the page; the audit log has all. */
const MAX_SHOWN = 20;

export function requestPage(deps: ConsoleServices): ConsolePage {
  return {
    path: `${REQUESTS}/:id`,
    shows: "Request",
    GET: { needs: ["Settings:Read"], answer: (visit) => answer(deps, visit) },
  };
}

async function answer({ requests, auditLog }: ConsoleServices, visit: Visit): Promise<View> {
  const caller = visit.permitted("Settings:Read");
  const request = await requests.read(caller, visit.params.id!);
  const { RequestKey, Status, Omitted } = request;
  const [{ Items, Next }, name] = await Promise.all([
    auditLog.list(caller, { RequestKey }, firstPage(MAX_SHOWN)),
    lookUpNames(visit, [clientOf(request)]),
  ]);
  const others = visit.href(`${REQUESTS}?${new URLSearchParams({ RequestKey })}`);
  return {
    title: titleOfRequest(request),
    above: [{ name: "Requests", path: REQUESTS }],
    body: (
      <>
        <Section
          title="Request"
          facts={[
            ["Status", <Badge state={String(Status)} tone={toneOf(Status)} />],
            ["When", <Time at={request.OccurredOn} />],
            ["Duration", <Text text={`${millisecondsInWords(request.DurationMs)} ms`} />],
            ["Client", <RecordLink visit={visit} one={clientOf(request)} name={name} />],
            ["RequestKey", <Code text={RequestKey} copy />],
            ["Id", <Code text={request.Id} copy />],
          ]}
        >
          <p class="after">
            The service's log has its lines by this RequestKey. <a href={others}>All requests with it</a>
          </p>
          {Omitted > 0 && (
            <p class="fine" safe>
              {`${Omitted.toLocaleString("en")} earlier requests were dropped because of the limit.`}
            </p>
          )}
        </Section>
        <ListSection
          title="Effects"
          id="effects"
          columns={await auditColumns(visit, Items)}
          rows={Items}
          none="None in the audit log. Changes of records by clients are events in the activity log."
          buttons={
            Next !== null && (
              <ButtonLink
                href={visit.href(`/settings/audit-log?${new URLSearchParams({ RequestKey })}`)}
                label="All effects"
              />
            )
          }
        />
      </>
    ),
  };
}
