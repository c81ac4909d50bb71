// Detects misspelt variables, because an ignored setting could have been a protection.

/** By the exporter of OpenTelemetry's SDK, each also for traces alone. */
const EXPORTER = ["HEADERS", "TIMEOUT", "COMPRESSION", "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"];
const READ_ELSEWHERE = [
  ...EXPORTER.flatMap((name) => [`OTEL_EXPORTER_OTLP_${name}`, `OTEL_EXPORTER_OTLP_TRACES_${name}`]),
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES",
];
const OF_OTHERS = /^(https?|all|no)_proxy$/i;
const OTHER_UNITS = /_(FILE|MS|SECONDS)$/;
/** All variables with these beginnings are ours, or replaced by ours. */
const OWN = /^(TENANT_MAX|TEMPORAL_TLS|DATABASE_POOL)_/;
/** Shorter names are similar to too many others. */
const MIN_LENGTH = 8;
/** Shorter names allow one wrong letter, longer ones two. */
const LONG = 10;

export function misspeltNames(env: Record<string, string | undefined>, read: Iterable<string>): string[] {
  const known = [...new Set([...read, ...READ_ELSEWHERE])];
  return Object.keys(env)
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .flatMap((name) => {
      // If the correct name is set as well, the similar one belongs to a different program.
      const meant = known.find((right) => env[right] === undefined && isNear(name, right));
      const [own] = OWN.exec(name) ?? [];
      const right = meant ?? (own && `one of ${known.filter((one) => one.startsWith(own)).join(", ")}`);
      return right ? [`${name} is set, which Gatehouse does not know; it must be ${right}, or be unset`] : [];
    });
}

function isNear(name: string, right: string): boolean {
  if (right.length < MIN_LENGTH) return false;
  const spelt = name
    .toUpperCase()
    .replaceAll("-", "_")
    .replace(/^GATEHOUSE_/, "");
  const max = right.length < LONG ? 1 : 2;
  return [spelt, spelt.replace(OTHER_UNITS, "")].some((each) => distance(each, right) <= max);
}

/** The number of letters to add, drop, replace or swap (optimal string alignment). */
export function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1));
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
