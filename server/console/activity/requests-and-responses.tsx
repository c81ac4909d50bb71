import { Badge, type Column, Table, Text, Time } from "../../ui/index.ts";
import type { AttemptRecord, KnownRequest } from "../../webhooks/index.ts";
import { Explained } from "../failure-words.tsx";
import { Source } from "../source.tsx";

export function resultOf({ StatusCode, Failure }: AttemptRecord): string {
  return Failure ?? String(StatusCode);
}

export function isGood({ StatusCode }: AttemptRecord): boolean {
  return StatusCode !== null && StatusCode >= 200 && StatusCode < 300;
}

export function endOf({ StartedOn, DurationMs }: AttemptRecord): number {
  return Date.parse(StartedOn) + DurationMs;
}

interface Row {
  attempt: AttemptRecord;
  waited: string;
}

export function AttemptTable({ attempts, happenedOn }: { attempts: AttemptRecord[]; happenedOn: Date }): JSX.Element {
  const rows = attempts.map((attempt, index) => ({
    attempt,
    waited: waitedFor(attempt, attempts[index - 1], happenedOn),
  }));
  return <Table caption="Attempts" columns={columns(attempts)} rows={rows} />;
}

function waitedFor(attempt: AttemptRecord, before: AttemptRecord | undefined, happenedOn: Date): string {
  const startedOn = Date.parse(attempt.StartedOn);
  if (attempt.Number === 1) return `${duration(startedOn - happenedOn.getTime())} after the event`;
  if (!before) return "";
  const waited = duration(startedOn - endOf(before));
  return attempt.Run > before.Run ? `${waited}, sent again` : waited;
}

function columns(attempts: AttemptRecord[]): Column<Row>[] {
  const hasRuns = attempts.some(({ Run }) => Run > 1);
  return [
    {
      name: "Attempt",
      cell: ({ attempt }) => (
        <>
          <span class="on-cards">Attempt </span>
          <Text text={`${attempt.Number}${hasRuns ? `, run ${attempt.Run}` : ""}`} />
        </>
      ),
    },
    {
      name: "Result",
      cell: ({ attempt }) => <Badge state={resultOf(attempt)} tone={isGood(attempt) ? "good" : "bad"} />,
    },
    { name: "Started", cell: ({ attempt: { StartedOn } }) => <Time at={StartedOn} /> },
    { name: "Waited", cell: ({ waited }) => <Text text={waited} /> },
    { name: "Took", cell: ({ attempt: { DurationMs } }) => <Text text={duration(DurationMs)} />, numeric: true },
  ];
}

export interface AttemptDetailsProps {
  id: string;
  attempt: AttemptRecord;
  /** Undefined if the reader may not see it. */
  request: KnownRequest | undefined;
  /** When the connection changed after the attempt; undefined: it has not. */
  changedOn: Date | undefined;
  /** Its response was removed, with the payload. */
  isRemoved: boolean;
  open: boolean;
}

export function AttemptDetails({ id, attempt, request, changedOn, isRemoved, open }: AttemptDetailsProps): JSX.Element {
  const { Number: number, Response: response, Failure: failure } = attempt;
  return (
    <details class="attempt" id={id} open={open}>
      <summary safe>{`Attempt ${number}: request and response`}</summary>
      <div class="two">
        <div>
          <h3>Request</h3>
          {request ? (
            <>
              <Source label={`Request of attempt ${number}`} text={requestText(request)} />
              <RequestNote changedOn={changedOn} />
            </>
          ) : (
            <p class="none">You do not have permission to see the connection.</p>
          )}
        </div>
        <div>
          <h3 safe>{failure === null ? "Response" : "No response"}</h3>
          {failure === null ? "" : <Explained text={failure} />}
          {response ? (
            <Source label={`Response of attempt ${number}`} text={responseText(attempt, response)} />
          ) : (
            <p class="none" safe>
              {isRemoved ? "Removed with the payload." : "Hidden: it may repeat the request, which you may not see."}
            </p>
          )}
          {failure === null && response?.Body === "" ? <p class="hint">Its body was empty.</p> : ""}
          {attempt.StatusCode === 413 ? <p class="hint">{TOO_LARGE}</p> : ""}
        </div>
      </div>
    </details>
  );
}

function RequestNote({ changedOn }: { changedOn: Date | undefined }): JSX.Element {
  const hidden = "Secrets and signatures are hidden.";
  if (!changedOn) return <p class="hint">{`As it was sent. ${hidden}`}</p>;
  return (
    <p class="hint">
      {"As the connection is now: it changed on "}
      <Time at={changedOn} />
      {`, after this attempt. The address and headers of this attempt are not stored. ${hidden}`}
    </p>
  );
}

const TOO_LARGE =
  "The payload is larger than the receiver accepts. Raise the limit there (nginx: client_max_body_size), then send it again.";

const HIDDEN = "•••";

function requestText({ address, query, headers }: KnownRequest): string {
  const parameters = query.map((name) => `${name}=${HIDDEN}`).join("&");
  return [
    `POST ${address}${parameters ? `?${parameters}` : ""}`,
    ...headers.map(({ name, value }) => `${name}: ${value ?? HIDDEN}`),
  ].join("\n");
}

type KnownResponse = NonNullable<AttemptRecord["Response"]>;

function responseText({ StatusCode, Failure }: AttemptRecord, { Headers, Body }: KnownResponse): string {
  // The body of a failure describes it.
  if (Failure !== null) return [Failure, Body].filter(Boolean).join("\n");
  const head = [String(StatusCode), Headers].filter(Boolean).join("\n");
  return Body ? `${head}\n\n${Body}` : head;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A readable duration: `12 ms`, `1.2 s`, `1 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < MINUTE) return `${(milliseconds / SECOND).toFixed(1).replace(/\.0$/, "")} s`;
  if (milliseconds < HOUR) return inTwo(milliseconds, [MINUTE, "min"], [SECOND, "s"]);
  if (milliseconds < DAY) return inTwo(milliseconds, [HOUR, "h"], [MINUTE, "min"]);
  return inTwo(milliseconds, [DAY, "d"], [HOUR, "h"]);
}

type Unit = [size: number, name: string];

function inTwo(milliseconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((milliseconds % large) / small);
  return `${Math.floor(milliseconds / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR),
];
const MAX_TICKS = 4;

export function ticks(span: number): number[] {
  const days = Math.ceil(span / DAY / MAX_TICKS) * DAY;
  const step = STEPS.find((size) => span / size <= MAX_TICKS) ?? days;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}
