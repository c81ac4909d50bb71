// The command `import`: Users, Departments, Groups and memberships from a file (docs/import.md).

import { parseArgs } from "node:util";
import { CannotStart } from "../../platform/errors.ts";
import { csvLine } from "../../platform/http/export.ts";
import type { FileKind } from "../apply/kinds.ts";
import { connectRest, Refused } from "../apply/rest.ts";
import { columnsOf, createReadEntry, type RefusedLine, TYPES } from "./entries.ts";
import { linesOf } from "./lines.ts";
import { createSender } from "./send.ts";

const USAGE = `Usage: bun run import FILE [--plan] [--type TYPE] [--map COLUMN=FIELD ...] [--refused FILE]

  FILE       CSV with names in the first line, or JSON lines (.jsonl)
  --plan     writes nothing, and counts what would be done
  --type     of lines without a Type: ${TYPES.join(", ")}; default: User
  --map      the field of a column; COLUMN= leaves it out
  --refused  the file for refused lines with their reasons; default: FILE.refused.csv`;
const PROGRESS_MS = 1_000;
/** Some lines were refused. */
const REFUSED = 2;

interface Terminal {
  env: NodeJS.ProcessEnv;
  say(text: string): void;
  fail(text: string): void;
}

export async function runImport(args: string[], kinds: FileKind[], { env, say, fail }: Terminal): Promise<number> {
  try {
    const { file, options } = argumentsOf(args);
    if (options.help) say(USAGE);
    if (options.help) return 0;
    const type = TYPES.find((one) => one.toLowerCase() === (options.type ?? "User").toLowerCase());
    if (!file || !type) throw new CannotStart(USAGE);
    const readEntry = createReadEntry(kinds, { type, columns: columnsOf(options.map ?? []) });
    const rest = await connectRest(env);
    const refused = refusedFile(options.refused ?? `${file}.refused.csv`);
    const sender = createSender(rest, options.plan ?? false, refused.add);
    let told = performance.now();
    let read = 0;
    try {
      for await (const line of linesOf(file)) {
        const entry = readEntry(line);
        if ("reason" in entry) sender.refuse(entry);
        else await sender.add(entry);
        read++;
        if (performance.now() - told < PROGRESS_MS) continue;
        told = performance.now();
        fail(`${read.toLocaleString("en")} lines`);
      }
      await sender.end();
    } finally {
      await refused.end();
      say(summary(sender.counts, options.plan ?? false));
    }
    if (refused.count() === 0) return 0;
    say(`Refused lines and their reasons: ${refused.path}`);
    return REFUSED;
  } catch (error) {
    if (!(error instanceof CannotStart || error instanceof Refused)) throw error;
    fail(error.message);
    return 1;
  }
}

function argumentsOf(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        plan: { type: "boolean" },
        type: { type: "string" },
        map: { type: "string", multiple: true },
        refused: { type: "string" },
        help: { type: "boolean" },
      },
    });
    const [file, ...more] = positionals;
    return { file: more.length > 0 ? undefined : file, options: values };
  } catch {
    throw new CannotStart(USAGE);
  }
}

function summary(counts: ReturnType<typeof createSender>["counts"], isPlan: boolean): string {
  const words = isPlan ? ["to create", "to change"] : ["created", "changed"];
  const lines = TYPES.flatMap((type) => {
    const { Created, Updated, None, Refused: refused } = counts[type];
    if (Created + Updated + None + refused === 0) return [];
    const figures = [
      `${Created} ${words[0]}`,
      `${Updated} ${words[1]}`,
      `${None} as in the file`,
      `${refused} refused`,
    ];
    return [`${type}: ${figures.join(", ")}`];
  });
  return lines.length > 0 ? lines.join("\n") : "The file has no lines.";
}

/** Has no values of the lines but the identifier, because they may be secret. */
function refusedFile(path: string) {
  let count = 0;
  let writer: Bun.FileSink | undefined;
  return {
    path,
    count: () => count,
    add({ line, type, title, reason }: RefusedLine): void {
      count++;
      writer ??= begin();
      writer.write(csvLine([String(line), type, title, reason]));
    },
    end: async () => void (await writer?.end()),
  };

  function begin(): Bun.FileSink {
    const sink = Bun.file(path).writer();
    sink.write(csvLine(["Line", "Type", "Record", "Reason"]));
    return sink;
  }
}
