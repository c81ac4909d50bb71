// The same call from a person's own shell. It names secrets as variables, and signs by openssl.

import type { KnownRequest } from "../../webhooks/index.ts";
import { MOST_COPIED } from "./payload.tsx";

/**
 * A command for sh, bash and zsh. In parentheses, so that a variable that is not set ends the command and not the shell.
 * @param request whose hidden values become variables: SECRET, API_KEY, and others by their names
 */
export function curlCommand(id: string, payload: string, { address, query, isSigned, headers }: KnownRequest): string {
  const parameters = query.map((name) => ({ name: encodeURIComponent(name), variable: parameterVariable(name) }));
  const made: Record<string, string> = isSigned ? signing(id) : {};
  const extra = headers.filter(({ name, value }) => value === null && !Object.hasOwn(made, name));
  const variables = [
    ...(isSigned ? ["SECRET"] : []),
    ...parameters.map(({ variable }) => variable),
    ...extra.map(({ name }) => headerVariable(name)),
  ];
  const values = parameters.map(({ name, variable }, index) => {
    return `${quoted(`${index === 0 ? "?" : "&"}${name}=`)}"$${variable}"`;
  });
  return [
    "(",
    ...variables.map((variable) => `: "\${${variable}:?set it first}"`),
    `BODY=${payload.length > MOST_COPIED ? `$(cat ${id}.json)` : quoted(payload)}`,
    ...(isSigned ? PREPARED : []),
    `curl --include ${quoted(address)}${values.join("")} \\`,
    ...headers.map(({ name, value }) => {
      const written = made[name] ?? (value === null ? `"$${headerVariable(name)}"` : quoted(value));
      return `  --header ${quoted(`${name}: `)}${written} \\`;
    }),
    '  --data-binary "$BODY"',
    ")",
  ].join("\n");
}

/** Standard Webhooks keys on what `whsec_` encodes, in hex here: openssl takes any bytes so. */
const PREPARED = [
  "TIMESTAMP=$(date +%s)",
  'SECRET_BYTES() { case "$SECRET" in (whsec_*) printf %s "$SECRET" | cut -c7- | openssl base64 -d -A;; (*) printf %s "$SECRET";; esac; }',
  "KEY=$(SECRET_BYTES | od -An -v -tx1 | tr -d ' \\n')",
];

/** Values by header, as server/webhooks/signature.ts makes them. */
function signing(id: string): Record<string, string> {
  const sign = "openssl dgst -sha256";
  return {
    "x-signature": `"$(printf %s "$BODY" | ${sign} -hmac "$SECRET" | sed 's/.* //')"`,
    "webhook-timestamp": '"$TIMESTAMP"',
    "webhook-signature": `"v1,$(printf %s "${id}.$TIMESTAMP.$BODY" | ${sign} -mac HMAC -macopt hexkey:$KEY -binary | openssl base64 -A)"`,
  };
}

function parameterVariable(name: string): string {
  return name === "ApiKey" ? "API_KEY" : `QUERY_${inCapitals(name)}`;
}

function headerVariable(name: string): string {
  return `HEADER_${inCapitals(name)}`;
}

function inCapitals(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, "_");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
