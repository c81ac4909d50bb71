// Resends a connection's deliveries: first counts them, then starts the redelivery.

import { DAY_MS } from "../../platform/durations.ts";
import { readDate } from "../../platform/http/dates.ts";
import { momentInUtc } from "../../ui/index.ts";
import { type ConnectionRecord, REPLAY, REPLAY_DATA } from "../../webhooks/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "../page.tsx";
import { addressOf } from "../records/names.ts";
import { optionsOf } from "../records/records.tsx";
import { type AskedCount, countingPages, howMany } from "./counting.tsx";
import { CONNECTIONS } from "./save.tsx";

const NEEDS = ["Webhooks:Create"] as const;
const FIELDS = {
  From: { label: "Events from", type: "datetime-local", hint: "Events at that time or later.", required: true },
  To: { label: "Events before", type: "datetime-local", hint: "Empty: until now.", required: false },
  States: { label: "Deliveries in state", options: optionsOf(REPLAY.states), isSeveral: true },
  Rate: {
    label: "Deliveries a second",
    type: "number",
    hint: `From 1 to ${REPLAY.rate.max}, in the order of their events.`,
    required: true,
  },
} as const;
const PATH = "redeliver";

/** Resends the counted deliveries, without later ones. */
export function redeliverPages(deps: ConsoleServices): ConsolePage[] {
  return countingPages<AskedReplay>({
    title: "Redeliver",
    path: PATH,
    confirmPath: "send",
    kind: "main",
    needs: NEEDS,
    initial({ url }) {
      const from = Date.parse(url.searchParams.get("From") ?? "") || Date.now() - DAY_MS;
      return {
        From: new Date(from).toISOString().slice(0, 16),
        States: ["Exhausted"],
        Rate: String(REPLAY.rate.usual),
      };
    },
    fields: FIELDS,
    read: async ({ caller, params }) => (await deps.connections.read(caller, params.id!)).record,
    ask: (visit, connection, anew) => ask(deps, visit, connection, anew),
    async act(visit, { input, body, asOf }) {
      const { Id, Reason } = await deps.redeliveries.create(visit.permitted(...NEEDS), input, body, asOf);
      const notice = Reason ? "The redelivery is created and waiting." : "The redelivery has started.";
      return visit.goTo(`/settings/redeliveries/${Id}`, `${notice} You can leave this page.`);
    },
  });
}

interface AskedReplay extends AskedCount {
  input: ReturnType<typeof REPLAY_DATA.parse>;
  body: object;
  asOf: Date;
}

async function ask(deps: ConsoleServices, visit: Visit, record: ConnectionRecord, anew: boolean): Promise<AskedReplay> {
  const { form } = visit;
  const rate = form.get("Rate")?.trim();
  const body = {
    ConnectionId: record.Id,
    From: momentInUtc(form.get("From") ?? ""),
    To: momentInUtc(form.get("To") ?? ""),
    States: form.getAll("States"),
    Rate: rate ? Number(rate) : REPLAY.rate.usual,
  };
  const input = REPLAY_DATA.parse(body);
  const { count, skipped, asOf } = await deps.redeliveries.preview(
    visit.permitted(...NEEDS),
    input,
    anew ? undefined : readDate(form.get("AsOf") ?? ""),
  );
  const back = `${CONNECTIONS}/${record.Id}/${PATH}`;
  return {
    input,
    body,
    count,
    asOf,
    back,
    title: "Send them again?",
    above: [{ name: "Redeliver", path: back }],
    effects: [
      howMany(count, "No matching deliveries.", "would be sent again."),
      ...(skipped ? [`${skipped.toLocaleString("en")} more are left out: their payloads were removed.`] : []),
      `They go to ${addressOf(record.URL)}, each with all its attempts, in the order of their events.`,
    ],
    confirm: "Send them again",
    keep: "Send none",
    fields: {
      From: input.From!.toISOString(),
      To: input.To?.toISOString() ?? "",
      States: body.States,
      Rate: String(body.Rate),
      AsOf: asOf.toISOString(),
    },
    basis: receiverOf(record),
  };
}

/** The receiver that a redelivery depends on: its address and identity. */
export const receiverOf = ({ Name, URL, ApiKey }: ConnectionRecord) => [Name, URL, ApiKey];
