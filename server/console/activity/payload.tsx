// An event's payload: on the page, as a file, and as a shell command.

import { NO_STORE } from "../../platform/http/conditions.ts";
import { Section, Time } from "../../ui/index.ts";
import { type KnownRequest, type SeenEvent, toEventId } from "../../webhooks/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import { Source } from "../source.tsx";

/** The maximum number of characters on a page; the file has all of them. */
const MAX_SHOWN = 64 * 1024;
/** The maximum number of characters for the copy button and the shell command. */
const MAX_COPIED = 16 * 1024;

export function PayloadSection({ visit, event }: { visit: Visit; event: SeenEvent }): JSX.Element {
  // The payload is immutable, so refreshes omit it.
  if (!visit.wants("payload")) return "";
  const { record, payload, payloadRemovedOn, isErased, withheld, text } = event;
  if (payload === null) {
    return (
      <Section title="Payload">
        <p>
          Removed {!!payloadRemovedOn && <Time at={payloadRemovedOn} />}
          {payloadRemovedOn ? ", " : ""}
          {isErased ? "by the erasure of a person" : "after PAYLOAD_RETENTION"}, with what receivers answered. The event
          cannot be sent again.
        </p>
      </Section>
    );
  }
  const pretty = JSON.stringify(payload, null, 2);
  return (
    <Section title="Payload">
      {withheld === null ? "" : <p safe>{withheld}</p>}
      <Source
        label="Payload"
        text={pretty.slice(0, MAX_SHOWN)}
        hasTimes
        copy={text !== undefined && text.length <= MAX_COPIED ? { text, label: "Copy as sent" } : undefined}
      />
      <p class="hint">Times in it are UTC. Hover over one for your local time.</p>
      {pretty.length > MAX_SHOWN && (
        <p class="hint" safe>
          {`The first ${MAX_SHOWN / 1024} KiB of ${Math.ceil(pretty.length / 1024).toLocaleString("en")}. The file has all of it.`}
        </p>
      )}
      <div class="buttons below">
        <a class="button plain" href={visit.href(`/settings/activity/${record.EventId}/payload.json`)} download="">
          Download
        </a>
      </div>
    </Section>
  );
}

/** The exact bytes of every attempt, for readers who may see all of them. */
export async function payloadFile({ eventLog }: ConsoleServices, { caller, params }: Visit): Promise<Response> {
  const { record, payload, text = JSON.stringify(payload) } = await eventLog.read(caller, toEventId(params.id!));
  return new Response(text, {
    headers: {
      "content-type": "application/json",
      "content-disposition": `attachment; filename="${record.EventId}.json"`,
      ...NO_STORE,
    },
  });
}

// The same request as a shell command. Secrets are variables, and openssl computes the signature.

/** For sh, bash and zsh. The parentheses limit a missing variable to the command, so the shell stays open. */
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

/** A Standard Webhooks key after `whsec_`, decoded to hex, the only form of arbitrary bytes for openssl. */
const PREPARED = [
  "TIMESTAMP=$(date +%s)",
  'SECRET_BYTES() { case "$SECRET" in (whsec_*) printf %s "$SECRET" | cut -c7- | openssl base64 -d -A;; (*) printf %s "$SECRET";; esac; }',
  "KEY=$(SECRET_BYTES | od -An -v -tx1 | tr -d ' \\n')",
];

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
