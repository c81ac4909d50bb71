// The form of a connection, as SPEC.md's "Configuration" names its fields.

import { EVENT_TYPES } from "../../webhooks/index.ts";
import { ButtonLink, CheckboxGroup, Form, type FormState, Hidden, TextField } from "../components/index.ts";
import type { Visit } from "../visit.ts";

export const FIELDS = ["Name", "URL", "Entities", "Events", "Secret", "ApiKey"];

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
  const options = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }));
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={version} />}
        <TextField
          state={state}
          name="URL"
          label="URL Endpoint"
          type="url"
          hint="Where events are posted to: an https address that answers 200 OK promptly."
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
        {version === undefined ? (
          <TextField
            state={state}
            name="Secret"
            label="Secret"
            type="password"
            autocomplete="new-password"
            hint="Signs each payload. It is not shown again; the receiver needs the same one."
            required={false}
          />
        ) : (
          ""
        )}
        <TextField state={state} name="Name" label="Name" hint="What it is called here." required={false} />
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

/** What the form sent, as the body of the REST API's upsert. */
export function connectionBody(form: URLSearchParams): Record<string, unknown> {
  const body: Record<string, unknown> = {
    Name: form.get("Name") ?? "",
    URL: form.get("URL") ?? "",
    Entities: form.getAll("Entities"),
    Events: form.getAll("Events"),
  };
  if (form.get("Secret")) body.Secret = form.get("Secret");
  return body;
}
