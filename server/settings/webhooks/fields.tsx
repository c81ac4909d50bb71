// The form of a connection, as docs/behaviour.md "Connections" names its fields.

import { BadInput } from "../../errors.ts";
import { EVENT_TYPES } from "../../webhooks/index.ts";
import { ButtonLink, CheckboxGroup, Form, type FormState, Hidden, TextField } from "../components/index.ts";
import type { Visit } from "../visit.ts";

const MORE = ["Name", "Description", "ApiKey", "Headers", "TimeoutMs"];
export const FIELDS = ["URL", "Entities", "Events", "Secret", ...MORE];

const SIGNS = "Signs each payload. It is not shown again; the receiver needs the same one.";
/** What the server holds a change to (egress/bound-secrets.ts). */
const MOVED = "At another host or port, the Secret, the ApiKey and the values of extra headers have to be given again.";

export interface ConnectionFormProps {
  visit: Visit;
  state: FormState;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  action: string;
  back: string;
  /** What the button says. */
  label: string;
  /** A connection that is there already: its entity tag. */
  version?: string;
}

export function ConnectionForm(props: ConnectionFormProps): JSX.Element {
  const { visit, state, entities, action, back, label, version } = props;
  const isNew = version === undefined;
  const options = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }));
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {isNew ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField
          state={state}
          name="URL"
          label="URL Endpoint"
          type="url"
          hint={`Where events are posted to: an https address that answers 200 OK promptly.${isNew ? "" : ` ${MOVED}`}`}
          required
        />
        <CheckboxGroup
          state={state}
          name="Entities"
          label="Entities"
          hint="A change of one of these is sent."
          options={options(entities)}
        />
        <CheckboxGroup
          state={state}
          name="Events"
          label="Events"
          hint="Of these kinds."
          options={options(EVENT_TYPES)}
        />
        <TextField
          state={state}
          name="Secret"
          label="Secret"
          type="password"
          autocomplete="new-password"
          hint={isNew ? SIGNS : `${SIGNS} Empty: it stays as it is. One that is replaced here is in force at once.`}
          required={false}
        />
        <TextField state={state} name="Name" label="Name" hint="What it is called here." required={false} />
        <More state={state} isNew={isNew} />
        <div class="buttons">
          <button type="submit" class="main" safe>
            {label}
          </button>
          <ButtonLink href={visit.href(back)}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}

/** What few connections need; open if there is something of it, or wrong with it. */
function More({ state, isNew }: { state: FormState; isNew: boolean }): JSX.Element {
  const isOpen = MORE.some((name) => name !== "Name" && (state.value(name) !== "" || state.problem(name)));
  return (
    <details class="more" open={isOpen}>
      <summary>Description, ApiKey, extra headers, time limit</summary>
      <div class="fields">
        <TextField state={state} name="Description" label="Description" rows={2} required={false} />
        <TextField
          state={state}
          name="ApiKey"
          label="ApiKey"
          type="password"
          autocomplete="new-password"
          hint={`Stands in the query of each call, so that the receiver knows who calls. ${isNew ? "Empty: one is made." : "Empty: it stays as it is."}`}
          required={false}
        />
        <TextField
          state={state}
          name="Headers"
          label="Extra headers"
          hint={`Sent along with each call. One a line, as Name: value.${isNew ? "" : " Values are not shown; a line without one keeps it, and a line that is gone takes the header away."}`}
          rows={3}
          code
          required={false}
        />
        <TextField
          state={state}
          name="TimeoutMs"
          label="Time limit in milliseconds"
          type="number"
          hint="How long the receiver may take to answer. Empty: as for all connections."
          required={false}
        />
      </div>
    </details>
  );
}

/**
 * What the form sent, as the body of the REST API's upsert.
 * @throws BadInput
 */
export function connectionBody(form: URLSearchParams): Record<string, unknown> {
  const text = (name: string) => form.get(name) ?? "";
  const body: Record<string, unknown> = {
    Name: text("Name"),
    Description: text("Description").replaceAll("\r\n", "\n"),
    URL: text("URL"),
    Entities: form.getAll("Entities"),
    Events: form.getAll("Events"),
    Headers: headersOf(text("Headers")),
    TimeoutMs: text("TimeoutMs").trim() === "" ? null : Number(text("TimeoutMs")),
  };
  // Neither is shown, so an empty field says nothing.
  for (const name of ["Secret", "ApiKey"]) if (text(name) !== "") body[name] = text(name);
  return body;
}

/** Lines of `Name: value`; without a value null, which keeps what there is. */
function headersOf(text: string): Record<string, string | null> {
  const headers: Record<string, string | null> = {};
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== "")) {
    const [name = "", ...rest] = line.split(":");
    if (Object.hasOwn(headers, name.trim())) throw new BadInput("Headers: a name stands there twice.");
    headers[name.trim()] = rest.join(":").trim() || null;
  }
  return headers;
}

/** The same lines, of what may be shown. */
export function headerLines(headers: Record<string, null>): string {
  return Object.keys(headers)
    .map((name) => `${name}:`)
    .join("\n");
}
