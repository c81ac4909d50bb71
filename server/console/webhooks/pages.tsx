import { readAsked } from "../../platform/http/query.ts";
import type { WEBHOOK } from "../../records/index.ts";
import { Badge, ButtonLink, type Column, Link, phrase } from "../../ui/index.ts";
import type { ConnectionRecord, Health } from "../../webhooks/index.ts";
import { type ConsolePage, type ConsoleServices, handlersOf, type Visit } from "../page.tsx";
import { declaredPages } from "../records/declared.tsx";
import { addressOf, titleOfConnection } from "../records/names.ts";
import { filtersOf } from "../records/records.tsx";
import { CATALOGUE, cataloguePage } from "./catalogue.tsx";
import { actionsOn, connectionBody, ping, type ShownConnection, setState } from "./connection.tsx";
import { discardPages } from "./discard.tsx";
import { filterPage } from "./filter.tsx";
import { LastFailure, Sparkline, SuccessRate, Waiting } from "./health.tsx";
import { redeliverPages } from "./redeliver.tsx";
import { redeliveriesPage } from "./redeliveries.tsx";
import { cancelPage, changeTheRedelivery, exportSent, REDELIVERIES, redeliveryPage } from "./redelivery.tsx";
import { resumePage } from "./resume.tsx";
import {
  addedPage,
  CONNECTIONS,
  connectionForm,
  connectionSent,
  mayAddConnection,
  NAMES,
  showMade,
  WRITE,
  whatWaits,
} from "./save.tsx";
import { giveUpPage, prove, secretPage, stage } from "./secret.tsx";
import { STATEMENT, statementPages } from "./statement.tsx";
import { sendTest, startCheck, verifyPage } from "./verify.tsx";

const REFRESH_SECONDS = 10;

export function webhookPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  const { connection, connections, figures } = deps;
  const read = ["Webhooks:Read"] as const;
  return declaredPages<Row, ReturnType<typeof connection.parse>, typeof WEBHOOK>(connection, connections, {
    nouns: ["connection", "Webhooks"],
    // Visitors without read permission see only the Id.
    titleOf: ({ Id, Name = "", URL }) => (URL === undefined ? String(Id) : titleOfConnection({ Name, URL })),
    records: { list: (visit) => listRows(deps, visit) },
    columns: COLUMNS,
    list: {
      lead: (visit) => (
        <>
          <a href={visit.href(REDELIVERIES)}>Redeliveries of all connections</a>{" "}
          <a href={visit.href(STATEMENT)}>Statement of all connections</a>{" "}
          <a href={visit.href(CATALOGUE)}>Kinds of events</a>
        </>
      ),
      tabs: (visit) => tabsOf(deps, visit),
      first: nameColumn,
      live: { id: "connections", seconds: REFRESH_SECONDS },
      none: [
        "No connections yet",
        "A webhook connection sends signed changes of the chosen entities to your receiver.",
      ],
      noMatch: ["No matching connections", "The search finds parts of names and addresses."],
    },
    form: {
      names: NAMES,
      of: async (_visit, held) => connectionForm(connection, held?.record),
      body: async ({ form }, isNew) => connectionSent(connection, form, isNew),
      add: {
        title: () => "Add Webhook Connection",
        links: (visit) =>
          mayAddConnection(visit) ? (
            <ButtonLink href={visit.href(`${CONNECTIONS}/add`)} label="Add Webhook Connection" kind="main" />
          ) : (
            ""
          ),
      },
    },
    page: {
      show: (visit, held) => connectionBody(deps, visit, held as ShownConnection),
      actions: (visit, { record }) => actionsOn(visit, record),
      async effects({ Id, Name, URL }, { caller }) {
        const [health] = await figures.health(caller, [Id]);
        return [
          phrase`${addressOf(URL) || Name} gets no more events.`,
          whatWaits(health && health.open + health.held),
          "Its secret and its ApiKey are deleted. A new connection gets new ones.",
          "Its deliveries stay in the activity log.",
        ];
      },
    },
    messages: {
      added: (visit, made, sent) => showMade(deps, visit, made, sent),
      deleted: ({ Id, Name, URL }) =>
        phrase`The connection to ${URL === undefined ? String(Id) : addressOf(URL) || Name!} is deleted.`,
    },
    more: [
      {
        path: `${CONNECTIONS}/:id/verify`,
        tab: "Verify",
        GET: on(read, verifyPage),
        POST: on(["Webhooks:Update"], sendTest),
      },
      {
        path: `${CONNECTIONS}/:id/check`,
        POST: { needs: ["Webhooks:Update"], answer: (visit) => startCheck(deps, visit) },
      },
      filterPage(deps),
      cataloguePage(deps),
      ...statementPages(deps),
      { path: `${CONNECTIONS}/:id/added`, GET: on(WRITE, addedPage) },
      { path: `${CONNECTIONS}/:id/ping`, POST: on(["Webhooks:Update"], ping) },
      { path: `${CONNECTIONS}/:id/state`, POST: on(WRITE, setState) },
      { path: `${CONNECTIONS}/:id/secret`, GET: on(read, secretPage), POST: on(["Webhooks:Update"], stage) },
      { path: `${CONNECTIONS}/:id/secret/prove`, POST: on(["Webhooks:Update"], prove) },
      giveUpPage(deps),
      ...redeliverPages(deps),
      ...discardPages(deps),
      resumePage(deps),
      { path: REDELIVERIES, GET: on(read, redeliveriesPage) },
      { path: `${REDELIVERIES}/:id/export`, GET: on(read, exportSent) },
      {
        path: `${REDELIVERIES}/:id`,
        shows: "Redelivery",
        GET: on(read, redeliveryPage),
        POST: on(["Webhooks:Update"], changeTheRedelivery),
      },
      cancelPage(deps),
    ],
  });
}

type Row = ConnectionRecord & { health?: Health };

/** Trouble first, unless the visitor has chosen an order. */
async function listRows({ connections, figures }: ConsoleServices, visit: Visit) {
  const { caller } = visit;
  const parameters = filtersOf(visit);
  const isSorted = parameters.has("Sort");
  if (!isSorted) parameters.set("Sort", "State");
  const { filters, paging } = readAsked(connections.filters, parameters);
  const { Items, ...rest } = await connections.list(caller, filters, paging);
  const ids = Items.map(({ Id }) => Id);
  const health = new Map((await figures.health(caller, ids)).map((one) => [one.connectionId, one]));
  const rows = Items.map((record): Row => ({ ...record, health: health.get(record.Id) }));
  return { Items: isSorted ? rows : rows.toSorted((one, other) => troubleOf(other) - troubleOf(one)), ...rest };
}

function troubleOf({ State, health }: Row): number {
  if (State === "Held") return 3;
  if (State === "Paused") return 0;
  return health?.exhausted || health?.overdue ? 2 : 1;
}

/** A list tells more as "1,000+". */
const MAX_COUNTED = 1_001;

async function tabsOf({ connections }: ConsoleServices, { caller }: Visit) {
  const states = connections.filters.State.words;
  const counts = await Promise.all(states.map((State) => connections.count(caller, { State }, MAX_COUNTED)));
  const tabs = states.map((State, index) => ({ name: State, count: counts[index], query: { State } }));
  const all = counts.every((count) => count !== null) ? counts.reduce((sum, count) => sum! + count!, 0) : null;
  return [{ name: "All", count: all, query: { State: undefined } }, ...tabs];
}

const nameColumn = (visit: Visit): Column<Row> => ({
  name: "Connection",
  sort: "Name",
  cell: (row) => (
    <>
      <Link href={visit.href(`/settings/webhooks/${row.Id}`)} text={titleOfConnection(row)} />
      {row.Name ? <small safe>{addressOf(row.URL) || "Pull"}</small> : ""}
    </>
  ),
});

const COLUMNS: Column<Row>[] = [
  { name: "State", sort: "State", narrow: "beside", cell: ({ State }) => <Badge state={State} /> },
  { name: "24 hours", cell: ({ health }) => <Sparkline health={health} /> },
  { name: "Success", cell: ({ health }) => <SuccessRate health={health} />, numeric: true },
  { name: "Waiting", cell: ({ health }) => <Waiting health={health} /> },
  { name: "Last failure", narrow: "none", cell: ({ health }) => <LastFailure health={health} /> },
];
