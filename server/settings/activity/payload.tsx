import { NO_STORE } from "../../http/no-store.ts";
import { readEvent, type SeenEvent } from "../../webhooks/index.ts";
import { CopyButton, Section } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { Visit } from "../visit.ts";
import { Source } from "./source.tsx";

/** Characters of it that a page shows; the file has all. */
const MOST_SHOWN = 64 * 1024;
/** Characters that a button copies, and that a command line takes. */
export const MOST_COPIED = 16 * 1024;

export function PayloadSection({ visit, event }: { visit: Visit; event: SeenEvent }): JSX.Element {
  // It never changes, so what refreshes itself goes without it.
  if (visit.request.headers.has("hx-request")) return "";
  const { record, payload, withheld, text } = event;
  const pretty = JSON.stringify(payload, null, 2);
  return (
    <Section title="Payload">
      {withheld === null ? "" : <p safe>{withheld}</p>}
      <Source label="Payload" text={pretty.slice(0, MOST_SHOWN)} />
      {pretty.length > MOST_SHOWN ? (
        <p class="hint" safe>
          {`The first ${MOST_SHOWN / 1024} KiB of ${Math.ceil(pretty.length / 1024).toLocaleString("en")}. The file has all of it.`}
        </p>
      ) : (
        ""
      )}
      <div class="buttons below">
        <a class="button plain" href={visit.href(`/settings/activity/${record.EventId}/payload.json`)} download="">
          Download
        </a>
        {text !== undefined && text.length <= MOST_COPIED ? <CopyButton text={text} label="Copy as it was sent" /> : ""}
      </div>
    </Section>
  );
}

/** The exact bytes that every attempt sends, for who may see all of them. */
export async function payloadFile(
  { sql, workflowUrl }: SettingsDependencies,
  { caller, params }: Visit,
): Promise<Response> {
  const { record, payload, text = JSON.stringify(payload) } = await readEvent(sql, caller, params.id!, workflowUrl);
  return new Response(text, {
    headers: {
      "content-type": "application/json",
      "content-disposition": `attachment; filename="${record.EventId}.json"`,
      ...NO_STORE,
    },
  });
}
