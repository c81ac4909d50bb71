// The rules of the source tree. Each takes files and returns its violations, one sentence each.

import { basename } from "node:path";
import { importsOf, type Source, withoutComments } from "./imports.ts";

export type Rule = (sources: Source[]) => string[];

const LINE_LIMIT = 400;
const CONTRACT = "workflows/contract.ts";
/** The rooms of the server, lowest first: each imports only those before it. The files beside them compose them. */
const ROOMS = ["platform", "ui", "records", "webhooks", "identity", "data", "console", "appliance"];
/** Its folders are entered one by one. */
const GROUND = "platform";
/** Commands and `start` read the registries and name the entries. */
const MAY_COMPOSE = "appliance";
/** The ground has no index.ts; these of its folders have, and so have the OpenAPI document and `start`. */
const CLOSED_FOLDERS = [
  "platform/egress",
  "platform/limits",
  "platform/metrics",
  "platform/tracing",
  "openapi",
  "appliance/embedded",
].map((name) => `server/${name}/`);
const NAMELESS_FOLDERS = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "lib"];

/** A workflow is replayed, so it must not import code with side effects or with results that differ between runs. */
export const workflowsArePure: Rule = (sources) =>
  eachImport(sources, "workflows/", ({ target, typeOnly }) => {
    if (target === "@temporalio/workflow" || target.startsWith("workflows/")) return undefined;
    if (target.startsWith("activities/")) return typeOnly ? undefined : "imports an activity as more than a type";
    if (target === "server/platform/ids.ts") return typeOnly ? undefined : "imports what makes ids";
    return "imports something a workflow may not";
  });

export const activitiesDoNotKnowHttp: Rule = (sources) =>
  eachImport(sources, "activities/", ({ target }) => {
    if (target === "elysia" || target.startsWith("@elysiajs/")) return "imports the web framework";
    if (/(^|[/-])(routes|app)\.tsx?$/.test(target)) return "imports routes";
    return undefined;
  });

/** Also finds queries without the name `sql`: a tagged template with a statement as text. */
export const sqlStandsInStores: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    if (
      !path.startsWith("server/") ||
      path.startsWith("server/platform/db/") ||
      /(^|\.)store\.ts$/.test(basename(path))
    )
      return [];
    const code = withoutComments(text);
    const template =
      /\b(sql|tx|transaction|queries)(<[^`()]*>)?`|\.unsafe\(|[\w\])]\s*`\s*(select|insert|update|delete|with)\s/i;
    return template.test(code)
      ? [`${path} has SQL; it stands in a store.ts, a *.store.ts or in server/platform/db/.`]
      : [];
  });

/** Pages and routes call services from createX(deps); only services use the database. */
export const pagesAndRoutesCallServices: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const code = withoutComments(text);
    const isPage = path.startsWith("server/console/") || path === "server/api.ts";
    const functions = code.matchAll(/\bfunction (\w*[rR]outes)\(([\s\S]*?)\): /g);
    const interfaces = code.matchAll(/\binterface (\w*Routes)\b[^{]*\{([\s\S]*?)\n\}/g);
    const connection = /\b(sql|Sql|Queries|Transaction|vault|Vault)\b/;
    return [
      ...(isPage && /\bsql\b|\b(Sql|Queries)\b/.test(code) ? [`${path} knows the database; it calls services.`] : []),
      ...[...functions, ...interfaces].flatMap(([, name, taken]) =>
        connection.test(taken!) ? [`${path}: ${name} takes a key or the database; it takes services.`] : [],
      ),
    ];
  });

/** Work outside tenants' requests, and the worker's own work, which its dispatcher distributes. */
const WITHOUT_SHARE =
  /^server\/(platform\/db|appliance\/commands|identity\/oauth\/keys|data\/retention)\/|^server\/identity\/tenants\/index\.ts$|^server\/records\/audit\/chain\.ts$|^server\/webhooks\/(alerts\/watch|holding\.store|connections\/(probe|secret-rotation))|^server\/webhooks\/(deliveries|redelivery)\//;

export const transactionsAreShares: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    if (!path.startsWith("server/") || WITHOUT_SHARE.test(path)) return [];
    return /\bsql\s*\.begin\(/.test(withoutComments(text)) ? [`${path} has a transaction that is no tenant's.`] : [];
  });

export const roomsAreEnteredByTheirIndex: Rule = (sources) =>
  eachImport(sources, "", ({ target }, path) => {
    const room = roomOf(target);
    if (room && room !== GROUND && room === roomOf(path)) return undefined;
    const closed = CLOSED_FOLDERS.find((folder) => target.startsWith(folder) && !path.startsWith(folder));
    const entered = closed ?? (room && room !== GROUND ? `server/${room}/` : undefined);
    return entered && target !== `${entered}index.ts` ? `reaches into ${entered}` : undefined;
  });

export const roomsAreOrdered: Rule = (sources) =>
  eachImport(sources, "server/", ({ target }, path) => {
    const [own, other] = [roomOf(path), roomOf(target)];
    if (!own || own === other || !target.startsWith("server/")) return undefined;
    if (!other) return own === MAY_COMPOSE ? undefined : "imports what composes it";
    return ROOMS.indexOf(other) < ROOMS.indexOf(own) ? undefined : `is below the room ${other}`;
  });

/** The folder of the server, except the OpenAPI document, which composes as the files beside it do. */
function roomOf(path: string): string | undefined {
  const folder = /^server\/([^/]+)\//.exec(path)?.[1];
  return folder === "openapi" ? undefined : folder;
}

/** The maximum number of names that a room exports: types count, a namespace is one. Lower it when a room exports fewer. */
const DOORS = { ui: 72, records: 127, webhooks: 45, identity: 63, data: 13, console: 4, appliance: 3 };

export const roomsHaveFewDoors: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const most = new Map(Object.entries(DOORS)).get(/^server\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? "");
    const names = [...text.matchAll(/^export (?:type )?\{([^}]*)\}|^export (?:const|function|\*)/gm)];
    const count = names.reduce(
      (sum, [, list]) => sum + (list?.split(",").filter((name) => name.trim()).length ?? 1),
      0,
    );
    return most !== undefined && count > most ? [`${path} exports ${count} names; ${most} are the most.`] : [];
  });

/** Delivery must not depend on the log's readers: a slow or changing list must not affect the sending engine. */
export const sendingDoesNotKnowItsLog: Rule = (sources) =>
  eachImport(sources, "server/webhooks/deliveries/", ({ target }) =>
    target.startsWith("server/webhooks/log/") ? "reaches into the activity log" : undefined,
  );

/** Streamed responses must check the caller again before each part. */
export const longAnswersAreJudgedAnew: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const code = withoutComments(text);
    const isLong = path.startsWith("server/") && /new (Readable|Transform)Stream\b|text\/event-stream/.test(code);
    return isLong && !/\.again\(\)/.test(code) && !/files: \[/.test(code)
      ? [`${path} answers for longer than a moment by what was decided at its beginning; it asks caller.again().`]
      : [];
  });

/**
 * `table[word]` also finds inherited members such as `constructor` and `toString`. So a table with text keys must be a
 * Map, or the same file must use Object.hasOwn or Object.keys on it. Tables with a key type and copies of records are
 * exempt.
 */
export const tablesAreMaps: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    if (!path.startsWith("server/")) return [];
    const code = withoutComments(text);
    const ofTexts = /\b(?:const|let) (\w+): (?:\w+<)*(?:Record<string,|\{ \[\w+: string\])[^=]*= \{(?!\s*\.\.\.)/g;
    const tables = [...code.matchAll(ofTexts)].map(([, name]) => name!);
    const isIndexed = (name: string) =>
      new RegExp(`\\b${name}(?:\\?\\.)?\\[(?!["'\`\\]])[^\\]]+\\](?! =[^=])`).test(code) &&
      !new RegExp(`Object\\.(hasOwn|keys)\\(${name}\\b`).test(code);
    return [
      ...tables
        .filter(isIndexed)
        .map((name) => `${path} looks up ${name} by a text; it is a Map, or Object.hasOwn is asked.`),
      ...(/(?<!\$\{[^}]*)\}\[[a-z]\w*\](?!:)/i.test(code)
        ? [`${path} looks a text up in a literal; it is a Map.`]
        : []),
    ];
  });

/** The worker bundles workflows by path; other code shares only the contract with them. */
export const workflowsShareTheirContract: Rule = (sources) =>
  eachImport(sources, "", ({ target }, path) => {
    if (path.startsWith("workflows/") || !target.startsWith("workflows/") || target === CONTRACT) return undefined;
    return "imports workflow code";
  });

/** app.ts composes the server's parts, so a feature must not import the whole app. */
export const nothingImportsTheEntries: Rule = (sources) =>
  eachImport(sources, "server/", ({ target }, path) => {
    const entry = /^server\/(app|main|serve)\.ts$/.test(target);
    const composes = /^server\/(main|serve)\.ts$|^server\/appliance\/embedded\//.test(path);
    return entry && !composes ? "imports an entry" : undefined;
  });

/** Only the gate creates answers with records; these files create answers without records. */
const TELL_OF_NO_RECORD = [
  "server/records/access/gate/shown.ts",
  "server/records/index.ts",
  // Problems of a text from the caller, and decisions on records that have passed the gate.
  "server/records/access/policies/routes.ts",
  // The registry of entities.
  "server/records/entities/routes.ts",
  // Counts of deletable data, and a signed record that has passed the gate.
  "server/data/personal-data/erasures.ts",
  // Counts of deliveries whose events have passed the gate.
  "server/webhooks/statements/service.ts",
  // Kinds of events, and the tenant's definitions of attributes.
  "server/webhooks/catalogue/service.ts",
  // Counts and names of events that have passed the gate.
  "server/webhooks/filters/trials.ts",
  // Events as a receiver gets them. The caller may change the connection, and so choose the receiver.
  "server/webhooks/pull/service.ts",
  // New values that are shown only once: secrets, links, and the event of a ping.
  "server/identity/oauth/registration/initial-tokens.ts",
  "server/identity/signin/invitations/imports/service.ts",
  "server/identity/oauth/clients/service.ts",
  "server/identity/signin/administration/service.ts",
  "server/identity/signin/administration/routes.ts",
  "server/webhooks/connections/secret-rotation.ts",
  "server/webhooks/connections/routes.ts",
];

/** Files that return records. */
const ANSWER_RECORDS = /^server\/((records|identity\/tenants|console|webhooks)\/|.*[/-]routes\.tsx?$)/;
/**
 * A file written while it is read: its rows have passed the gate, and so has the payload in its exact bytes. The
 * problems of a text refer only to that text, which the caller sent.
 */
const FILES = [
  "server/records/audit/routes.ts",
  "server/console/activity/payload.tsx",
  "server/console/policies/check.ts",
  "server/webhooks/log/stream.ts",
  // A repeated answer, for which the policies are asked again.
  "server/records/requests/keys.ts",
];

export const answersPassTheGate: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    if (!path.startsWith("server/")) return [];
    const code = withoutComments(text);
    const problems: string[] = [];
    const isGate = path.startsWith("server/records/access/gate/");
    if (/\bResponse\.json\(|\bnew Response\((?!null)/.test(code) && ANSWER_RECORDS.test(path) && !isGate) {
      if (!FILES.includes(path)) problems.push("answers by itself");
    }
    if (/\b(asShown|as Shown|as ShownPage)\b/.test(code) && !isGate) problems.push("calls something shown by itself");
    if (/\bwithoutRecords\b/.test(code) && !TELL_OF_NO_RECORD.includes(path)) problems.push("goes around the gate");
    if (/\bpermissions\.(allows|reach)\(/.test(code) && !/^server\/(records\/access|console\/visit)/.test(path)) {
      problems.push("decides by itself what may be seen");
    }
    return problems.map((problem) => `${path} ${problem}; what leaves passes server/records/access/gate/.`);
  });

/** A new kind of settings is one line in server/identity/settings.ts, so code for all kinds must not name a single kind. */
const SERVES_EVERY_KIND =
  /^server\/((app|api|services)\.ts$|records\/audit\/(filter|routes)|console\/(page|console|visit|history|audit-log|records\/|search\/))/;

export const kindsOfSettingsAreListedOnce: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const code = withoutComments(text);
    const isNamed = SERVES_EVERY_KIND.test(path) && /"(Policy|Role|IdentityProvider)"/.test(code);
    const isListed =
      /\b(POLICIES|ROLES|PROVIDERS)\b[^;]*\bfrom\s*"[^"]*(records\/index|(policies|providers)\/routes|roles\/service)\.ts"/.test(
        code,
      );
    return isNamed || (isListed && !/^server\/(records\/index|identity\/settings)\.ts$/.test(path))
      ? [`${path} names a kind of settings.`]
      : [];
  });

/** Files that import each other have no reading order. Types count too. */
export const filesHaveNoCircles: Rule = (sources) =>
  circlesIn(needsOf(sources, (path) => path)).map((circle) => `${circle} need each other.`);

/** The same for folders within a room and within a folder, and for the files beside them. */
export const foldersHaveNoCircles: Rule = (sources) =>
  [/^server\/[^/]+\/[^/]+/, /^server\/[^/]+\/[^/]+\/[^/]+/].flatMap((place) =>
    circlesIn(needsOf(sources, (path) => place.exec(path)?.[0])).map((circle) => `${circle} need each other.`),
  );

function needsOf(sources: Source[], placeOf: (path: string) => string | undefined): Map<string, Set<string>> {
  const needs = new Map<string, Set<string>>();
  for (const source of sources) {
    const own = placeOf(source.path);
    const others = own ? importsOf(source).flatMap(({ target }) => placeOf(target) ?? []) : [];
    for (const other of others) if (other !== own) needs.set(own!, (needs.get(own!) ?? new Set()).add(other));
  }
  return needs;
}

function circlesIn(needs: Map<string, Set<string>>): string[] {
  return [...new Set([...needs.keys()].flatMap((place) => wayBack(needs, place) ?? []))];
}

/** The folders of the shortest circle through this folder. */
function wayBack(needs: Map<string, Set<string>>, folder: string): string | undefined {
  const ways = [[folder]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of needs.get(way.at(-1)!) ?? []) {
      if (next === folder) return way.toSorted().join(", ");
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

export const foldersHoldSeveralFiles: Rule = (sources) => {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folders = path.split("/").slice(0, -1);
    for (let depth = 2; depth <= folders.length; depth++) {
      const folder = folders.slice(0, depth).join("/");
      if (folder.startsWith("server/")) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].flatMap(([folder, count]) =>
    count < 3 ? [`${folder} holds ${count} files; a folder holds three or more.`] : [],
  );
};

/** Components get loaded records. */
export const componentsGetRecords: Rule = (sources) => {
  const taken = /\b(sql|vault|Sql|Queries|Transaction|Vault|\w*Dependencies)\b/;
  return sources
    .filter(({ path }) => path.startsWith("server/") && path.endsWith(".tsx"))
    .flatMap(({ path, text }) => {
      const code = withoutComments(text);
      const parameters = [...code.matchAll(/\bfunction ([A-Z]\w*)(?:<[^>]*>)?\(([\s\S]*?)\): JSX\.Element/g)];
      const props = [...code.matchAll(/\binterface (\w+Props)\b[^{]*\{([\s\S]*?)\n\}/g)];
      return [...parameters, ...props].flatMap(([, name, text]) =>
        taken.test(text!) ? [`${path}: ${name} takes a key or a connection to the database.`] : [],
      );
    });
};

export const foldersHaveNames: Rule = (sources) =>
  sources.flatMap(({ path }) => {
    const nameless = path
      .split("/")
      .slice(0, -1)
      .find((folder) => NAMELESS_FOLDERS.includes(folder));
    return nameless ? [`${path} stands in a folder called ${nameless}.`] : [];
  });

/** Words of docs/glossary.md that would be ambiguous in file names, with the paths where they are allowed. */
export const ROOMS_OF_WORDS: Readonly<Record<string, RegExp>> = {
  attempt: /^(server\/(webhooks|identity\/logouts|console)|workflows|activities)\//,
  change: /^server\/(webhooks|console\/activity)\/|\/record-changes\.ts$/,
  client: /^server\/(identity\/oauth|console\/applications)\//,
  connection: /^(server\/(webhooks|console\/webhooks)|workflows|activities)\//,
  delivery: /^(server\/(webhooks|console)|workflows|activities)\//,
  door: /^server\/identity\/oauth\//,
  drain: /^(server\/webhooks|workflows)\//,
  event: /^server\/(records\/events|webhooks|console\/activity)\//,
  family: /^server\/identity\/oauth\//,
  gate: /^server\/records\/access\/gate\//,
  grant: /^server\/(identity\/oauth|console)\//,
  logout: /^(server\/(identity|console)|workflows|activities)\//,
  probe: /^(server\/webhooks|workflows|activities)\//,
  queue: /^server\/webhooks\//,
  run: /^server\/webhooks\//,
  session: /^server\/(identity|console)\//,
  window: /^server\/webhooks\//,
  worker: /^(server\/platform\/metrics|activities)\//,
};

export const wordsMeanOneThing: Rule = (sources) =>
  sources.flatMap(({ path }) => {
    const parts = basename(path).split(/[-.]/);
    return Object.entries(ROOMS_OF_WORDS).flatMap(([word, rooms]) => {
      const isNamed = parts.includes(word) || parts.includes(word.replace(/y$/, "ie").concat("s"));
      const hasNames = /^(server|workflows|activities)\//.test(path);
      return hasNames && isNamed && !rooms.test(path) ? [`${path} has the word ${word}, which the glossary has.`] : [];
    });
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
