// The rules of the source tree. Each takes files and returns its violations, one sentence each.

import { basename } from "node:path";
import { importsOf, type Source, withoutComments } from "./imports.ts";

export type Rule = (sources: Source[]) => string[];

const LINE_LIMIT = 300;
const CONTRACT = "workflows/contract.ts";
/** Folders that others enter through their index.ts alone. */
const CLOSED_FOLDERS = [
  "oauth",
  "signin",
  "entities",
  "webhooks",
  "access",
  "egress",
  "tenants",
  "openapi",
  "audit",
  "metrics",
  "settings",
  "tracing",
  "maintenance",
].map((name) => `server/${name}/`);
const NAMELESS_FOLDERS = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "lib"];

/** A workflow is replayed, so nothing that has effects or differs between runs may come in. */
export const workflowsArePure: Rule = (sources) =>
  eachImport(sources, "workflows/", ({ target, typeOnly }) => {
    if (target === "@temporalio/workflow" || target.startsWith("workflows/")) return undefined;
    if (target.startsWith("activities/")) return typeOnly ? undefined : "imports an activity as more than a type";
    return "imports something a workflow may not";
  });

export const activitiesDoNotKnowHttp: Rule = (sources) =>
  eachImport(sources, "activities/", ({ target }) => {
    if (target === "elysia" || target.startsWith("@elysiajs/")) return "imports the web framework";
    if (/(^|\/)(routes|app)\.tsx?$/.test(target)) return "imports routes";
    return undefined;
  });

/** Also what nobody calls `sql`: a tagged template whose text is a statement. */
export const sqlStandsInStores: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    if (!path.startsWith("server/") || path.startsWith("server/db/") || basename(path) === "store.ts") return [];
    const code = withoutComments(text);
    const template =
      /\b(sql|tx|transaction|queries)(<[^`()]*>)?`|\.unsafe\(|[\w\])]\s*`\s*(select|insert|update|delete|with)\s/i;
    return template.test(code) ? [`${path} has SQL; it stands in a store.ts or in server/db/.`] : [];
  });

export const foldersMeetInTheirIndex: Rule = (sources) =>
  eachImport(sources, "", ({ target }, path) => {
    const folder = CLOSED_FOLDERS.find((closed) => target.startsWith(closed) && !path.startsWith(closed));
    return folder && target !== `${folder}index.ts` ? `reaches into ${folder}` : undefined;
  });

/** The worker bundles workflows by path; what others share with them is the contract. */
export const workflowsShareTheirContract: Rule = (sources) =>
  eachImport(sources, "", ({ target }, path) => {
    if (path.startsWith("workflows/") || !target.startsWith("workflows/") || target === CONTRACT) return undefined;
    return "imports workflow code";
  });

/** The server's parts compose in app.ts; a feature that needs the whole app is upside down. */
export const nothingImportsTheEntries: Rule = (sources) =>
  eachImport(sources, "server/", ({ target }, path) => {
    const entry = /^server\/(app|main|serve)\.ts$/.test(target);
    const composes = /^server\/(main|serve)\.ts$|^server\/embedded\//.test(path);
    return entry && !composes ? "imports an entry" : undefined;
  });

export const foldersHaveNames: Rule = (sources) =>
  sources.flatMap(({ path }) => {
    const nameless = path
      .split("/")
      .slice(0, -1)
      .find((folder) => NAMELESS_FOLDERS.includes(folder));
    return nameless ? [`${path} stands in a folder called ${nameless}.`] : [];
  });

export const filesAreShort: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    return lines > LINE_LIMIT ? [`${path} has ${lines} lines; ${LINE_LIMIT} are the most.`] : [];
  });

function eachImport(
  sources: Source[],
  folder: string,
  problem: (found: ReturnType<typeof importsOf>[number], path: string) => string | undefined,
): string[] {
  return sources
    .filter(({ path }) => path.startsWith(folder))
    .flatMap((source) =>
      importsOf(source).flatMap((found) => {
        const words = problem(found, source.path);
        return words ? [`${source.path} ${words}: ${found.specifier}`] : [];
      }),
    );
}
