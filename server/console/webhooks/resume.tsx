// Resuming a connection, with its exhausted deliveries after the held ones.

import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { readDate } from "../../platform/http/dates.ts";
import { type ConnectionRecord, REPLAY_DATA } from "../../webhooks/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type Visit } from "../page.tsx";
import { receiverOf } from "./redeliver.tsx";
import { ABOVE, CONNECTIONS, WRITE } from "./save.tsx";

export const RESUMED = "The connection is active. Missed deliveries are being sent.";

interface AskedResume extends Confirmation {
  count: number | null;
  asOf: Date;
  fields: { Since: string; AsOf: string };
}

const replayOf = (ConnectionId: string, From: string) => ({ ConnectionId, From });

/** @param since the earliest event @param asOf undefined: now */
export async function askToResume(
  { redeliveries }: ConsoleServices,
  visit: Visit,
  connection: ConnectionRecord,
  since: string,
  asOf?: Date,
): Promise<AskedResume> {
  const input = REPLAY_DATA.parse(replayOf(connection.Id, since));
  const preview = await redeliveries.preview(visit.permitted("Webhooks:Create"), input, asOf);
  const many = preview.count?.toLocaleString("en") ?? "";
  return {
    ...preview,
    title: `Resume, and send the ${many} exhausted again?`,
    above: ABOVE,
    effects: ["Held deliveries are sent first.", `The ${many} exhausted deliveries are sent again after it.`],
    confirm: "Resume, and send them",
    keep: "Back",
    fields: { Since: since, AsOf: preview.asOf.toISOString() },
    basis: receiverOf(connection),
    back: `${CONNECTIONS}/${connection.Id}`,
  };
}

export function resumePage(deps: ConsoleServices): ConsolePage {
  return confirming<AskedResume>({
    path: `${CONNECTIONS}/:id/resume`,
    needs: ["Webhooks:Read", ...WRITE],
    async ask(visit, anew) {
      const { record } = await deps.connections.read(visit.caller, visit.params.id!);
      const [since, asOf] = ["Since", "AsOf"].map((name) => visit.form.get(name) ?? "");
      return askToResume(deps, visit, record, since!, anew ? undefined : readDate(asOf!));
    },
    async act(visit, { fields: { Since }, asOf, back }) {
      const body = { Id: visit.params.id, State: "Active" };
      await deps.connections.save(visit.permitted(...WRITE), deps.connection.parse(body), UNCONDITIONAL, body);
      const replay = replayOf(visit.params.id!, Since);
      await deps.redeliveries.create(visit.permitted("Webhooks:Create"), REPLAY_DATA.parse(replay), replay, asOf);
      return visit.goTo(back, `${RESUMED} Exhausted ones follow.`);
    },
  });
}
