import { durationInWords, Time } from "../../ui/index.ts";
import type { Health } from "../../webhooks/index.ts";
import { EventLink } from "../activity/record.tsx";
import { Explained, Words } from "../failure-words.tsx";
import type { Visit } from "../visit.ts";

interface HealthProps {
  /** Undefined: the visitor may not see it. */
  health: Health | undefined;
}

function Hidden(): JSX.Element {
  return <span class="none">hidden</span>;
}

/** The lowest healthy share of delivered among the deliveries that ended in the last 24 hours. */
const GOOD_RATE = 0.99;

export function SuccessRate({ health }: HealthProps): JSX.Element {
  if (!health) return <Hidden />;
  const { delivered, exhausted } = health;
  const all = delivered + exhausted;
  if (all === 0) return <span class="none">none sent</span>;
  const rate = delivered / all;
  return (
    <span>
      <strong class={rate < GOOD_RATE ? "bad-text" : undefined} safe>
        {percent(rate)}
      </strong>{" "}
      <small safe>{`of ${all.toLocaleString("en")}`}</small>
    </span>
  );
}

const [WIDTH, HEIGHT] = [4, 20];

/** A bar for each of the last 24 hours, its failed deliveries on top. */
export function Sparkline({ health }: HealthProps): JSX.Element {
  const hours = health?.hours ?? [];
  const most = Math.max(...hours.map(({ delivered, exhausted }) => delivered + exhausted));
  if (!(most > 0)) return "";
  // Few among many stay visible.
  const high = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT - 2)));
  return (
    <svg class="spark" viewBox={`0 0 ${hours.length * WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      {hours.map(({ delivered, exhausted }, index) => {
        const [good, bad] = [high(delivered), high(exhausted)];
        return (
          <g transform={`translate(${index * WIDTH})`}>
            <rect width={WIDTH - 1} height={good} y={HEIGHT - good} />
            <rect class="exhausted" width={WIDTH - 1} height={bad} y={HEIGHT - good - bad} />
          </g>
        );
      })}
    </svg>
  );
}

/** A percentage, rounded down, so only a complete success is 100 %. */
function percent(rate: number): string {
  return `${(Math.floor(rate * 1_000) / 10).toLocaleString("en")} %`;
}

export function Waiting({ health }: HealthProps): JSX.Element {
  if (!health) return <Hidden />;
  const { open, held, waitsSince } = health;
  if (open + held === 0) return <span class="none">nothing</span>;
  const counts = [
    open > 0 ? `${open.toLocaleString("en")} open` : "",
    held > 0 ? `${held.toLocaleString("en")} held` : "",
  ];
  return (
    <span>
      <span safe>{counts.filter(Boolean).join(", ")}</span>{" "}
      {waitsSince ? <small safe>{`oldest ${durationInWords(Date.now() - waitsSince.getTime())}`}</small> : ""}
    </span>
  );
}

/** @param props.visit explains it and links to its event, on the connection's page */
export function LastFailure({ health, visit }: HealthProps & { visit?: Visit }): JSX.Element {
  if (!health) return <Hidden />;
  const { failedOn, failure, failedEventId } = health;
  if (!failedOn) return <span class="none">none</span>;
  return (
    <span>
      <Time at={failedOn} ago />{" "}
      {visit ? (
        <EventLink visit={visit} id={failedEventId!} text={failure ?? ""} />
      ) : (
        <small>
          <Words text={failure ?? ""} />
        </small>
      )}
      {visit ? <Explained text={failure} /> : ""}
    </span>
  );
}
