// The facts in the OpenAPI document without texts, one per line: equal documents have equal lines. `bun run
// test/openapi/normal-form.ts http://localhost:3000` writes document.txt from a running server.

import { join } from "node:path";
import { type Json, operationsOf, resolve } from "../world/documented.ts";

/** Every operation, then every schema by its name, then all other parts by name. */
export function normalForm(document: Json): string {
  const { schemas, responses, parameters, headers, examples, securitySchemes } = document.components;
  const named = { responses, parameters, headers, examples, securitySchemes };
  return [
    ...operationsOf(document)
      .map((described) => operationLines(document, described))
      .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1))
      .flat(),
    ...Object.keys(schemas)
      .sort()
      .flatMap((name) => ["", `# ${name}`, ...schemaLines("", schemas[name])]),
    "",
    "# Also",
    ...Object.entries(named).map(([kind, all]) => `${kind}: ${Object.keys(all).sort().join(", ")}`),
    `tags: ${document.tags
      .map(({ name }: Json) => name)
      .sort()
      .join(", ")}`,
    "",
  ].join("\n");
}

function operationLines(document: Json, { path, method, operation }: ReturnType<typeof operationsOf>[number]) {
  const { operationId, tags, security, parameters = [], requestBody, responses } = operation;
  const scopes = security.map((one: Json) => Object.entries<Json>(one).flatMap(([name, all]) => [name, ...all]));
  return [
    `${path} ${method.toUpperCase()} ${operationId} [${tags}] ${scopes.map((one: string[]) => `(${one.join(" ")})`).join("")}`,
    ...parameters
      .map((parameter: Json) => resolve(document, parameter))
      .flatMap((parameter: Json) => {
        const marks = [parameter.in, parameter.required && "required", parameter.allowEmptyValue && "or empty"];
        return schemaLines(`  ? ${parameter.name} (${marks.filter(Boolean).join(", ")})`, parameter.schema);
      }),
    ...contentLines("  >", requestBody),
    ...Object.entries<Json>(responses)
      .sort()
      .filter(([, answer]) => errorsOf(answer).length === 0)
      .flatMap(([status, { headers = {}, content }]) => [
        `  ${status} {${Object.keys(headers).sort().join(", ")}}`,
        ...contentLines(`  ${status}`, { content }),
      ]),
    `  ! ${Object.values<Json>(responses).flatMap(errorsOf).sort().join(", ")}`,
  ];
}

/** Names of the possible errors of an answer. */
function errorsOf(answer: Json): string[] {
  const examples = answer.content?.["application/json"]?.examples ?? {};
  return [answer, ...Object.values<Json>(examples)].flatMap(({ $ref }) => $ref?.split("/").at(-1) ?? []);
}

function contentLines(start: string, body: Json): string[] {
  return Object.entries<Json>(body?.content ?? {}).flatMap(([type, { schema, examples }]) =>
    schemaLines(`${start} ${type} (${Object.keys(examples ?? {}).length} examples)`, schema),
  );
}

/** A line for the schema itself, and one for each of its parts. */
function schemaLines(path: string, given: Json): string[] {
  const schema = plain(given);
  const { properties, required = [], items, anyOf, oneOf, additionalProperties, $ref, ...rest } = schema;
  const choices = anyOf ?? oneOf;
  const own = [
    $ref && `$${$ref.split("/").at(-1)}`,
    ...Object.keys(rest)
      .sort()
      .filter((key) => !WORDS.includes(key))
      .map((key) => `${key}=${JSON.stringify(rest[key])}`),
    additionalProperties === false && "closed",
  ].filter(Boolean);
  return [
    ...(own.length > 0 || path === "" ? [`${path} ${own.join(" ")}`.trimEnd()] : []),
    ...Object.entries<Json>(properties ?? {})
      .sort()
      .flatMap(([name, part]) => schemaLines(`${path}.${name}${required.includes(name) ? "!" : ""}`, part)),
    ...(items ? schemaLines(`${path}[]`, items) : []),
    ...(choices ?? []).flatMap((choice: Json, index: number) => schemaLines(`${path}|${index}`, choice)),
    ...(typeof additionalProperties === "object" ? schemaLines(`${path}.*`, additionalProperties) : []),
  ];
}

const WORDS = ["description", "examples", "title", "$comment"];

/** Normalises equivalent forms. */
function plain(schema: Json): Json {
  if (schema.const !== undefined) return plain({ ...schema, const: undefined, enum: [schema.const] });
  const { enum: words, ...rest } = schema;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return words ? { ...known, type: known.type ?? typeof words[0], enum: [...words] } : known;
}

export const DOCUMENT = join(import.meta.dir, "document.txt");

if (import.meta.main) {
  const response = await fetch(`${process.argv[2]}/openapi.json`);
  await Bun.write(DOCUMENT, normalForm(await response.json()));
}
