// The payload of an event: shown, as a file, and as a call from a person's own shell.

import { NO_STORE } from "../../http/conditions.ts";
import { CopyButton, Section } from "../../ui/index.ts";
import { type KnownRequest, type SeenEvent, toEventId } from "../../webhooks/index.ts";
import type { SettingsDependencies } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { Source } from "./attempts.tsx";

/** Characters of it that a page shows; the file has all. */
const MAX_SHOWN = 64 * 1024;
/** Characters that a button copies, and that a command line takes. */
const MAX_COPIED = 16 * 1024;

export function PayloadSection({ visit, event }: { visit: Visit; event: SeenEvent }): JSX.Element {
  // It never changes, so what refreshes itself goes without it.
  if (!visit.wants("payload")) return "";
  const { record, payload, withheld, text } = event;
  const pretty = JSON.stringify(payload, null, 2);
  return (
    <Section title="Payload">
      {withheld === null ? "" : <p safe>{withheld}</p>}
      <Source label="Payload" text={pretty.slice(0, MAX_SHOWN)} hasTimes />
      <p class="hint">Times in it are UTC. Each has the reader's own as its title.</p>
      {pretty.length > MAX_SHOWN ? (
        <p class="hint" safe>
          {`The first ${MAX_SHOWN / 1024} KiB of ${Math.ceil(pretty.length / 1024).toLocaleString("en")}. The file has all of it.`}
        </p>
      ) : (
        ""
      )}
      <div class="buttons below">
        <a class="button plain" href={visit.href(`/settings/activity/${record.EventId}/payload.json`)} download="">
          Download
        </a>
        {text !== undefined && text.length <= MAX_COPIED ? <CopyButton text={text} label="Copy as it was sent" /> : ""}
      </div>
    </Section>
  );
}

/** The exact bytes that every attempt sends, for who may see all of them. */
export async function payloadFile({ eventLog }: SettingsDependencies, { caller, params }: Visit): Promise<Response> {
  const { record, payload, text = JSON.stringify(payload) } = await eventLog.read(caller, toEventId(params.id!));
  return new Response(text, {
    headers: {
      "content-type": "application/json",
      "content-disposition": `attachment; filename="${record.EventId}.json"`,
      ...NO_STORE,
    },
  });
}

// The same call from a person's own shell. It names secrets as variables, and signs by openssl.

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
    `BODY=${payload.length > MAX_COPIED ? `$(cat ${id}.json)` : quoted(payload)}`,
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
    "X-Signature": `"$(printf %s "$BODY" | ${sign} -hmac "$SECRET" | sed 's/.* //')"`,
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
