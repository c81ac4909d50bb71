// The parts of the documents that are made from the code; `bun run docs` writes them.

import { ACTIONS } from "../../server/access/index.ts";
import type { Attribute, ResourceType } from "../../server/access/policies/resource-type.ts";
import { SETTINGS_TYPES } from "../../server/access/settings-types.ts";
import { POLICIES, ROLES } from "../../server/access/starter.ts";
import { policyTypes } from "../../server/app.ts";
import { ENTITIES } from "../../server/entities/index.ts";
import { createDocument } from "../../server/openapi/document.ts";
import { securitySchemes } from "../../server/openapi/security.ts";
import type { PathItem } from "../../server/openapi/types.ts";

const API = "/Endpoint/rest/api/v1";
/** The summary of a POST that is another way to PATCH. */
const AS_PATCH = "The same as PATCH";
const METHODS = ["get", "post", "patch", "delete"] as const;

/** By the page, and by the name that stands in its comments. */
export const GENERATED: Record<string, Record<string, () => string>> = {
  "docs/access.md": { scopes, roles, policies, fields },
  "docs/api.md": { operations },
};

/** @throws Error if a part's comments are not there */
export function withGenerated(path: string, text: string): string {
  let written = text;
  for (const [name, make] of Object.entries(GENERATED[path] ?? {})) {
    const part = new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!part.test(written)) throw new Error(`${path} has no place for ${name}.`);
    written = written.replace(part, (_, begin, end) => `${begin}\n${make()}\n\n${end}`);
  }
  return written;
}

function scopes(): string {
  const texts = securitySchemes("").oauth2.flows.clientCredentials.scopes;
  return table(
    ["scope", "what it is for"],
    Object.entries(texts).map(([scope, text]) => [code(scope), text]),
  );
}

function roles(): string {
  return table(
    ["role", "what it does", "scopes"],
    ROLES.map(({ name, description, scopes }) => [
      code(name),
      description,
      scopes === ACTIONS ? "all" : scopes.map(code).join(", "),
    ]),
  );
}

function policies(): string {
  return table(
    ["policy", "what it says"],
    POLICIES.map(({ name, description }) => [name, description]),
  );
}

function fields(): string {
  const types = [...policyTypes(ENTITIES), ...SETTINGS_TYPES];
  return table(
    ["record", "actions", "fields"],
    types.map((type) => [
      code(type.name),
      type.families.map((family) => code(`${family}:*`)).join(", "),
      type.attributes.map((attribute) => `${attribute.name} (${typeOf(attribute)})`).join(", "),
    ]),
  );
}

function typeOf(attribute: Attribute): string {
  const types: Record<Exclude<Attribute["type"], "record">, string> = {
    text: "text",
    texts: "set of texts",
    number: "number",
    boolean: "boolean",
    dateTime: "datetime",
    reference: "foreign key",
  };
  return attribute.type === "record" ? `the ${(attribute.of as ResourceType).name}` : types[attribute.type];
}

function operations(): string {
  const { paths, tags } = createDocument("", ENTITIES);
  const all = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, method, ...item[method] }] : [])),
  );
  return tags
    .map(({ name }) => {
      const rows = all
        .filter((operation) => operation.tags.includes(name) && operation.summary !== AS_PATCH)
        .map(({ path, method, summary, security }) => [
          code(`${methodsOf(method, paths[path]!)} ${path.replace(API, "…")}`),
          summary,
          (security.find((way) => way.oauth2)?.oauth2 ?? []).map(code).join(", "),
        ]);
      return rows.length === 0 ? "" : `### ${name}\n\n${table(["request", "what it does", "scopes"], rows)}`;
    })
    .filter(Boolean)
    .join("\n\n");
}

function methodsOf(method: string, item: PathItem): string {
  return method === "patch" && item.post?.summary === AS_PATCH ? "PATCH, POST" : method.toUpperCase();
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
