// Metrics of a process, parsed as Prometheus does.

/** A series by its name and labels, as in the text: `up{job="x"}`. */
export type Samples = Map<string, number>;

/** @param target the address of /metrics */
export async function scrape(target: string, token?: string): Promise<Samples> {
  const response = await fetch(target, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  if (response.status !== 200) throw new Error(`${target} answered ${response.status}`);
  return parse(await response.text());
}

/** The sum of a metric's series that have all these labels. */
export function sum(samples: Samples, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return [...samples]
    .filter(([series]) => series.split("{")[0] === name && wanted.every((label) => series.includes(label)))
    .reduce((total, [, value]) => total + value, 0);
}

function parse(text: string): Samples {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
