// A connection's current state: waiting deliveries and the concurrency window.

import { durationInWords, Section, Text } from "../../ui/index.ts";
import type { ConnectionRecord, StatusRecord } from "../../webhooks/index.ts";

/** Empty for visitors who may not read every event. */
export function CurrentStatus({ status, kind }: { status: StatusRecord; kind: ConnectionRecord["Kind"] }): JSX.Element {
  if (status.Windows === null) return "";
  return (
    <Section
      title="Just now"
      facts={[
        ["Waiting", <Text text={waitingInWords(status)} />],
        // A consumer has none.
        kind === "Push" && ["Window", <Text text={windowInWords(status.Windows, status.State)} />],
      ]}
    />
  );
}

function waitingInWords({ UnderWay, Queued, Held, OldestOn }: StatusRecord): string {
  const counts = [
    [UnderWay, "in progress"],
    [Queued, "in its queue"],
    [Held, "held"],
  ] as const;
  const words = counts.filter(([count]) => count).map(([count, what]) => `${count!.toLocaleString("en")} ${what}`);
  if (words.length === 0) return "Nothing.";
  const oldest = OldestOn ? `, the oldest for ${durationInWords(Date.now() - Date.parse(OldestOn))}` : "";
  return `${words.join(", ")}${oldest}.`;
}

/** Combines all workers, because the distribution does not matter for a receiver. */
function windowInWords(windows: NonNullable<StatusRecord["Windows"]>, state: StatusRecord["State"]): string {
  if (windows.length === 0) return "No worker has posted to it recently.";
  const sum = (of: (one: (typeof windows)[number]) => number) => windows.reduce((total, one) => total + of(one), 0);
  const inside = sum(({ Waiting }) => Waiting);
  const words = [
    `${sum(({ Out }) => Out)} of ${sum(({ Places }) => Places)} calls in flight`,
    ...(inside > 0 ? [`${inside} more waiting for a place`] : []),
    // A 503 is quick as well, so response times say nothing about a held connection.
    ...(state === "Active" ? [windows.every(({ Quick }) => Quick) ? QUICK : "its responses are slow or missing"] : []),
    ...(windows.length > 1 ? [`${windows.length} workers`] : []),
  ];
  return `${words.join("; ")}.`;
}

const QUICK = "its responses, with any status, take less than a second";

export function limitsInWords({ Order, RatePerSecond, MaxInFlight, HoldAfter, TimeoutMs }: ConnectionRecord): string {
  return [
    Order === "Record" ? "In the order of each record" : "No order",
    RatePerSecond === null ? "any number of calls a second" : `at most ${RatePerSecond} calls a second`,
    MaxInFlight === null ? "as many in flight as it keeps up with" : `at most ${MaxInFlight} in flight`,
    ...(HoldAfter === null
      ? []
      : [HoldAfter === 1 ? "held after the first failure" : `held after ${HoldAfter} consecutive failures`]),
    ...(TimeoutMs === null ? [] : [`${TimeoutMs.toLocaleString("en")} ms for a response`]),
  ].join("; ");
}
