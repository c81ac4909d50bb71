// The command that runs failed tests again, from the report of `bun test`.

export interface FailedTest {
  file: string;
  /** Undefined: the whole file. */
  name?: string;
}

/** @param report in JUnit's format */
export async function failedTests(report: string): Promise<FailedTest[]> {
  const failed = new Map<string, FailedTest>();
  let current: FailedTest | undefined;
  await new HTMLRewriter()
    .on("testcase", {
      element: (element) => {
        current = { file: decoded(element.getAttribute("file")), name: decoded(element.getAttribute("name")) };
      },
    })
    .on("testcase failure, testcase error", {
      element: () => {
        if (current) failed.set(`${current.file}\n${current.name}`, current);
      },
    })
    .transform(new Response(report))
    .text();
  return [...failed.values()];
}

/** A line for the shell, or nothing. One failed test is chosen by its name. */
export function commandFor(failed: FailedTest[]): string | undefined {
  const files = [...new Set(failed.map(({ file }) => file))].sort();
  if (files.length === 0) return undefined;
  const only = failed.length === 1 ? failed[0]!.name : undefined;
  const pattern = only?.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return ["bun run test", ...files, ...(pattern ? [`-t ${quoted(pattern)}`] : [])].join(" ");
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function decoded(text: string | null): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return (text ?? "")
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name]!)
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
