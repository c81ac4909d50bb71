// The command `apply`: brings a tenant's records to the state that a file describes (docs/apply.md).

import { basename } from "node:path";
import { CannotStart } from "../../platform/errors.ts";
import { readDocument, WrongFile } from "./apply-file.ts";
import { exported } from "./export.ts";
import type { FileKind } from "./kinds.ts";
import { applyPlan, makePlan } from "./plan.ts";
import { isEmpty, planText, withoutHidden } from "./plan-text.ts";
import { connectRest, Refused } from "./rest.ts";

const USAGE = `Usage: bun run apply FILE [--plan | --yes] [--prune] [--secrets]
       bun run apply --export [KIND ...]

  --plan     only prints the changes; the exit code is 2 if there are any
  --yes      applies them without asking
  --prune    deletes records that are not in the file, of the kinds that it has
  --secrets  also sends secrets that cannot be compared
  --export   prints the tenant's records, or those of these kinds, as such a file without secrets`;
const OPTIONS = ["--plan", "--yes", "--prune", "--secrets"];
const EXPORT = "--export";
/** As terraform plan -detailed-exitcode. */
const CHANGES = 2;
/** The file names a self-made record. */
const SELF_MADE = 2;

interface Terminal {
  env: NodeJS.ProcessEnv;
  say(text: string): void;
  fail(text: string): void;
  ask?: ((question: string) => string | null | Promise<string>) | undefined;
}

export async function runApply(args: string[], kinds: FileKind[], { env, say, fail, ask }: Terminal): Promise<number> {
  const chosen = new Set(args.filter((arg) => arg.startsWith("-")));
  const [file, ...more] = args.filter((arg) => !chosen.has(arg));
  const isHelp = chosen.has("--help");
  if (chosen.has(EXPORT) && chosen.size === 1) return runExport(args.filter((arg) => arg !== EXPORT));
  if (isHelp || !file || more.length > 0 || ![...chosen].every((arg) => OPTIONS.includes(arg))) {
    (isHelp ? say : fail)(USAGE);
    return isHelp ? 0 : 1;
  }
  let safe = (text: string) => text;
  try {
    const document = readDocument(file, kinds, env);
    safe = (text) => withoutHidden(text, document);
    const rest = await connectRest(env);
    const makeIt = () => makePlan(document, rest, chosen.has("--prune"), chosen.has("--secrets"));
    const plan = await makeIt();
    const text = planText(plan, basename(file));
    say(safe(text));
    if (isEmpty(plan)) return 0;
    if (chosen.has("--plan")) return CHANGES;
    if (!chosen.has("--yes")) {
      if (!ask) throw new CannotStart("Nothing was changed: without a terminal, --yes or --plan is needed.");
      if ((await ask("Apply these changes? Only yes applies them:")) !== "yes") return 1;
      const again = planText(await makeIt(), basename(file));
      if (again !== text)
        throw new CannotStart("Nothing was changed: the server's records differ meanwhile. Start again.");
    }
    await applyPlan(plan, rest, (done) => say(safe(done)));
    return 0;
  } catch (error) {
    fail(safe(wordsFor(error, basename(file))));
    const isSelfMade = error instanceof WrongFile && error.problems.some((one) => one.isSelfMade);
    return isSelfMade ? SELF_MADE : 1;
  }

  async function runExport(names: string[]): Promise<number> {
    try {
      say(await exported(kinds, names, await connectRest(env)));
      return 0;
    } catch (error) {
      fail(wordsFor(error, EXPORT));
      return 1;
    }
  }
}

function wordsFor(error: unknown, file: string): string {
  if (error instanceof WrongFile) {
    const sorted = error.problems.toSorted((one, other) => one.line - other.line);
    return sorted.map(({ line, text }) => `${file}:${line}: ${text}`).join("\n");
  }
  if (error instanceof CannotStart || error instanceof Refused) return error.message;
  return `The run ended with an unexpected error, which is a fault of this program: ${(error as Error).message}`;
}
