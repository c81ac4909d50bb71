/** Formats by locale; there are few. */
const FORMATS = new Map<string, Record<"moment" | "day", Intl.DateTimeFormat>>();

function formatsIn(locale = "en-GB") {
  let formats = FORMATS.get(locale);
  if (!formats) {
    const day = { dateStyle: "medium", timeZone: "UTC" } as const;
    const moment = new Intl.DateTimeFormat(locale, { ...day, timeStyle: "medium" });
    formats = { moment, day: new Intl.DateTimeFormat(locale, day) };
    FORMATS.set(locale, formats);
  }
  return formats;
}

/** The default of every date field (docs/behaviour.md "Fields"), shown as "never". */
const UNSET = Date.parse("1900-01-01T12:00:00Z");

const STEPS: [size: number, unit: string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** Uses the largest fitting unit: 90 s are "1 min". */
export function durationInWords(milliseconds: number, after = ""): string {
  const step = STEPS.find(([size]) => milliseconds >= size);
  return step ? `${Math.floor(milliseconds / step[0])} ${step[1]}${after}` : after === "" ? "under 1 s" : "just now";
}

export interface TimeProps {
  at: Date | string | null | undefined;
  /** Instead of no time. */
  none?: string;
  /** Shows the elapsed time, with the date as title. */
  ago?: boolean;
  day?: boolean;
  /** Shows the text itself, with the local time as title. */
  asWritten?: boolean;
  /** For Intl; default: British English. */
  locale?: string;
}

/** Rendered in UTC; time.js converts it to the local time zone. */
export function Time({ at: given, none = "never", ago, day, asWritten, locale }: TimeProps): JSX.Element {
  const at = new Date(given ?? UNSET);
  if (at.getTime() === UNSET && !asWritten) {
    return (
      <span class="none" safe>
        {none}
      </span>
    );
  }
  if (Number.isNaN(at.getTime())) return <span safe>{String(given)}</span>;
  const moment = `${formatsIn(locale).moment.format(at)} UTC`;
  if (ago || asWritten) {
    return (
      <time datetime={at.toISOString()} data-show="title" title={moment} safe>
        {asWritten ? String(given) : durationInWords(Date.now() - at.getTime(), " ago")}
      </time>
    );
  }
  return (
    <time datetime={at.toISOString()} data-show={day ? "day" : "moment"} safe>
      {day ? formatsIn(locale).day.format(at) : moment}
    </time>
  );
}

const ISO = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

export function Sentence({ text }: { text: string }): JSX.Element {
  return (
    <span>
      {text
        .split(ISO)
        .map((part, index) => (index % 2 === 1 ? <Time at={new Date(part)} /> : <span safe>{part}</span>))}
    </span>
  );
}
