// What somebody should look at first, the worst on top.

import type { ConnectionRecord } from "../../webhooks/index.ts";
import { Badge, durationInWords } from "../components/index.ts";
import type { Visit } from "../visit.ts";
import type { Health } from "../webhooks/store.ts";
import { titleOf } from "../webhooks/title.ts";

/** An open delivery that is older than so many milliseconds is late: all its attempts take less by default. */
const LATE_MS = 10 * 60_000;

interface Concern {
  connection: ConnectionRecord;
  state: string;
  text: string;
  /** The lower, the further up. */
  rank: number;
}

export interface Watched {
  connection: ConnectionRecord;
  health: Health;
}

/** @param now milliseconds since 1970 */
export function concernsOf(watched: readonly Watched[], now: number): Concern[] {
  return watched.flatMap((one) => concernOf(one, now) ?? []).toSorted((a, b) => a.rank - b.rank);
}

/** Each connection says its worst alone. */
function concernOf({ connection, health }: Watched, now: number): Concern | undefined {
  const { State } = connection;
  const { exhausted, open, held, waitsSince, failure } = health;
  const word = failure ? ` Last answer: ${failure}.` : "";
  const oldest = waitsSince ? `, the oldest for ${durationInWords(now - waitsSince.getTime())}` : "";
  if (State === "Held") {
    return {
      connection,
      state: "Held",
      text: `${connection.HeldReason ?? "Held"}. It gets nothing until a probe arrives or it is resumed: ${many(held)} ${held === 1 ? "waits" : "wait"}${oldest}.`,
      rank: 0,
    };
  }
  if (exhausted > 0) {
    return { connection, state: "Exhausted", text: `${many(exhausted)} failed for good in 24 hours.${word}`, rank: 1 };
  }
  if (State === "Active" && open > 0 && waitsSince && now - waitsSince.getTime() > LATE_MS) {
    return { connection, state: "Retrying", text: `${many(open)} still open${oldest}.${word}`, rank: 2 };
  }
  if (State === "Paused" && held > 0) {
    return {
      connection,
      state: "Paused",
      text: `Paused by hand: ${many(held)} ${held === 1 ? "waits" : "wait"}${oldest}.`,
      rank: 3,
    };
  }
  return undefined;
}

function many(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"}`;
}

export function Concerns({ visit, concerns }: { visit: Visit; concerns: readonly Concern[] }): JSX.Element {
  return (
    <ul class="concerns">
      {concerns.map(({ connection, state, text }) => (
        <li>
          <Badge state={state} />
          <div>
            <a href={visit.href(`/settings/webhooks/${connection.Id}`)} safe>
              {titleOf(connection)}
            </a>
            <span safe>{text}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
