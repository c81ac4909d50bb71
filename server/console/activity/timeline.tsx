// A delivery's attempts on a time axis, drawn on the server. The table below has the same data.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { AttemptRecord } from "../../webhooks/index.ts";
import { percent } from "../chart.tsx";
import { duration, endOf, isGood, resultOf, ticks } from "./requests-and-responses.tsx";

/** The margin at each side in percent, for marks at the first and last moment. */
const MARGIN = 2;
/** Percent; labels nearer to an edge are placed beside their mark instead of below. */
const EDGE = 12;
const HEIGHT = 84;
const ABOVE = 14;
const MIDDLE = 30;
const BELOW = 52;
const AXIS = 62;
const LABELS = 79;

export interface TimelineProps {
  /** At least one. */
  attempts: AttemptRecord[];
  state: DeliveryState;
  /** The current run, which may have no attempt yet. */
  currentRun: number;
  underWay: boolean;
}

/** Each run has its own axis, because days may lie between runs. */
export function Timeline({ attempts, state, currentRun, underWay }: TimelineProps): JSX.Element {
  const runs = [...Map.groupBy(attempts, ({ Run }) => Run)];
  const now = goesOn(state, underWay);
  const isNew = now !== undefined && !runs.some(([run]) => run === currentRun);
  return (
    <>
      {runs.map(([run, own]) => (
        <figure class="timeline">
          {runs.length > 1 || isNew ? <figcaption safe>{runTitle(run)}</figcaption> : ""}
          <Drawing attempts={own} goesOn={run === currentRun ? now : undefined} />
        </figure>
      ))}
      {isNew && (
        <figure class="timeline">
          <figcaption safe>{runTitle(currentRun)}</figcaption>
          <p class="none" safe>{`Its first attempt ${now === "waits" ? "is not made yet" : "is in progress"}.`}</p>
        </figure>
      )}
    </>
  );
}

function runTitle(run: number): string {
  return `Run ${run}${run > 1 ? ", sent again" : ""}`;
}

function goesOn(state: DeliveryState, underWay: boolean): string | undefined {
  if (underWay) return "in progress";
  return state === "Retrying" || state === "Pending" ? "waits" : undefined;
}

/** @param goesOn the current activity, if the run has not ended */
function Drawing({ attempts, goesOn }: { attempts: AttemptRecord[]; goesOn: string | undefined }): JSX.Element {
  const start = Date.parse(attempts[0]!.StartedOn);
  const lastEnd = endOf(attempts.at(-1)!);
  const end = goesOn ? Math.max(lastEnd, Date.now()) : lastEnd;
  const span = Math.max(end - start, 1);
  const x = (time: number) => MARGIN + ((time - start) / span) * (100 - 2 * MARGIN);
  return (
    <svg height={HEIGHT} role="img" aria-label={inWords(attempts, goesOn)}>
      <line class="axis" x1={percent(x(start))} x2={percent(x(end))} y1={AXIS} y2={AXIS} />
      {ticks(span).map((time) => (
        <>
          <line class="axis" x1={percent(x(start + time))} x2={percent(x(start + time))} y1={AXIS} y2={AXIS + 4} />
          <text class="tick" x={percent(x(start + time))} y={LABELS} text-anchor={anchorAt(x(start + time))} safe>
            {duration(time)}
          </text>
        </>
      ))}
      {attempts.slice(1).map((attempt, index) => (
        <Wait from={x(endOf(attempts[index]!))} to={x(Date.parse(attempt.StartedOn))} />
      ))}
      {goesOn ? <Wait from={x(lastEnd)} to={x(end)} /> : ""}
      {attempts.map((attempt, index) => (
        <Mark
          from={x(Date.parse(attempt.StartedOn))}
          to={x(endOf(attempt))}
          tone={isGood(attempt) ? "good" : "bad"}
          word={resultOf(attempt)}
          isAbove={index % 2 === 0}
        />
      ))}
      {goesOn ? <Mark from={x(end)} to={x(end)} tone="busy" word={goesOn} isAbove={attempts.length % 2 === 0} /> : ""}
    </svg>
  );
}

function Wait({ from, to }: { from: number; to: number }): JSX.Element {
  return <line class="wait" x1={percent(from)} x2={percent(to)} y1={MIDDLE} y2={MIDDLE} />;
}

interface MarkProps {
  from: number;
  to: number;
  tone: "good" | "bad" | "busy";
  word: string;
  isAbove: boolean;
}

function Mark({ from, to, tone, word, isAbove }: MarkProps): JSX.Element {
  return (
    <g class={tone}>
      <line class="mark" x1={percent(from)} x2={percent(to)} y1={MIDDLE} y2={MIDDLE} />
      <text x={percent(wordAt(from, to))} y={isAbove ? ABOVE : BELOW} text-anchor={anchorAt((from + to) / 2)} safe>
        {word}
      </text>
    </g>
  );
}

function wordAt(from: number, to: number): number {
  const middle = (from + to) / 2;
  const anchor = anchorAt(middle);
  return anchor === "start" ? from : anchor === "end" ? to : middle;
}

function anchorAt(x: number): "start" | "middle" | "end" {
  return x < EDGE ? "start" : x > 100 - EDGE ? "end" : "middle";
}

function inWords(attempts: AttemptRecord[], goesOn: string | undefined): string {
  const start = Date.parse(attempts[0]!.StartedOn);
  const marks = attempts.map((attempt) => {
    return `${resultOf(attempt)} at ${duration(Date.parse(attempt.StartedOn) - start)} for ${duration(attempt.DurationMs)}`;
  });
  return `Attempts over time: ${[...marks, ...(goesOn ? [`now ${goesOn}`] : [])].join(", ")}.`;
}
