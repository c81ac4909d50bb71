// The generated parts of the documents; `bun run docs` writes them.

import { type ApiServices, apiRoutes } from "../../server/api.ts";
import { VERIFICATIONS, type Verification } from "../../server/console/webhooks/verification.ts";
import { createErasures } from "../../server/data/index.ts";
import { createMails } from "../../server/identity/mail/index.ts";
import { CREDENTIALS } from "../../server/identity/oauth/clients/contract.ts";
import { REGISTRATION_TOKEN } from "../../server/identity/oauth/registration/initial-tokens.ts";
import { createSettings, SETTINGS } from "../../server/identity/settings.ts";
import { createInvitationImports } from "../../server/identity/signin/invitations/imports/index.ts";
import { TENANT_SETTINGS } from "../../server/identity/tenants/index.ts";
import { auditSubjects, namesOfEventRecords, policyTypes } from "../../server/kinds.ts";
import { createDocument, securitySchemes } from "../../server/openapi/document.ts";
import type { PathItem } from "../../server/openapi/objects.ts";
import { TLS_PROBLEMS } from "../../server/platform/egress/tls-failures.ts";
import type { Contract } from "../../server/platform/http/contract.ts";
import type { Field, Fields } from "../../server/platform/http/fields.ts";
import type { Route } from "../../server/platform/http/route.ts";
import { createVault } from "../../server/platform/vault.ts";
import type { Attribute, ResourceType } from "../../server/records/access/decisions/resource-type.ts";
import { POLICIES, ROLES } from "../../server/records/access/initial-access.ts";
import { SCOPE_ACTIONS } from "../../server/records/access/scopes.ts";
import { createAuditLog } from "../../server/records/audit/service.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { createEntities } from "../../server/records/entities/service.ts";
import { requests } from "../../server/records/index.ts";
import { ALERT } from "../../server/webhooks/alerts/contract.ts";
import { connectionContract, createWebhooks } from "../../server/webhooks/index.ts";

const connection = connectionContract({ entities: namesOfEventRecords(ENTITIES, SETTINGS), checkUrl: () => undefined });
const settings = Object.values(SETTINGS).map(({ type }): Contract<Fields> => type);
const contracts: Contract<Fields>[] = [
  ...[...ENTITIES, connection, ...settings],
  ...[CREDENTIALS, REGISTRATION_TOKEN, TENANT_SETTINGS, ALERT],
];
const API = "/Endpoint/rest/api/v1";
/** The summary of a POST that is equivalent to PATCH. */
const AS_PATCH = "The same as PATCH";
const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** By page, and by the name in the markers. */
export const GENERATED: Record<string, Record<string, () => string>> = {
  "docs/access.md": { scopes, roles, policies, fields },
  "docs/api.md": { operations, records },
  "docs/webhooks.md": { ...Object.fromEntries(VERIFICATIONS.map((one) => [one.mark, () => codeBlock(one)])), tls },
};

/** @throws Error if the comments around a part are missing */
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
    ["scope", "permission"],
    Object.entries(texts).map(([scope, text]) => [code(scope), text]),
  );
}

function roles(): string {
  return table(
    ["role", "purpose", "scopes"],
    ROLES.map(({ name, description, scopes }) => [
      code(name),
      description,
      scopes === SCOPE_ACTIONS ? "all" : scopes.map(code).join(", "),
    ]),
  );
}

function policies(): string {
  return table(
    ["policy", "meaning"],
    POLICIES.map(({ name, description }) => [name, description]),
  );
}

function fields(): string {
  const types = policyTypes(ENTITIES, SETTINGS);
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
  const { paths, tags } = createDocument("", describedRoutes());
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
      return rows.length === 0 ? "" : `### ${name}\n\n${table(["request", "description", "scopes"], rows)}`;
    })
    .filter(Boolean)
    .join("\n\n");
}

/** Only described here, never called. */
export function describedRoutes(): Route[] {
  const entities = namesOfEventRecords(ENTITIES, SETTINGS);
  const vault = createVault("");
  const samples = new Map(entities.map((name) => [name, {}]));
  const services: Partial<ApiServices> = {
    entities,
    connection,
    ...createWebhooks({ sql: {}, vault, secretOverlapMs: 0, samples, workflowUrl: String } as never),
    settings: createSettings(SETTINGS, { access: {}, vault, checkUrl: () => undefined } as never),
    auditLog: createAuditLog({} as never, auditSubjects(ENTITIES, SETTINGS), undefined as never),
    records: createEntities({} as never, ENTITIES),
    requests: requests.createRequests({} as never),
    mails: createMails({ vault, config: {} } as never),
    imports: createInvitationImports({} as never),
    erasures: createErasures({} as never),
  };
  return apiRoutes(services as ApiServices);
}

/** The fields of each record that has a contract. */
function records(): string {
  return contracts
    .map(({ name, record, field }) => `### ${name}\n\n${record.description}\n\n${fieldsTable(field)}`)
    .join("\n\n");
}

function fieldsTable(fields: Fields): string {
  return table(
    ["field", "input", "description"],
    Object.entries(fields).map(([name, field]) => [name, takenBy(field), meaningOf(field)]),
  );
}

function takenBy({ must, readOnly, required }: Field): string {
  if (readOnly) return "only what was read";
  return must.replace(/^must be /, "").replace(/\.$/, "") + (required ? "; a new one needs it" : "");
}

function meaningOf({ description = "", answered = "", shown }: Field): string {
  const read = shown ? answered : "Never read back.";
  return description.includes(read) ? description : [description, read].filter(Boolean).join(" ");
}

function methodsOf(method: string, item: PathItem): string {
  return method === "patch" && item.post?.summary === AS_PATCH ? "PATCH, POST" : method.toUpperCase();
}

function tls(): string {
  return table(
    ["the receiver", "solution"],
    TLS_PROBLEMS.map(({ problem, solution }) => [problem, solution]),
  );
}

/** With the mark by which a test finds it. */
function codeBlock({ mark, fence, code: text }: Verification): string {
  return `<!-- verify: ${mark} -->\n\`\`\`${fence}\n${text}\`\`\``;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
