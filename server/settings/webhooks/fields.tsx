// The form of a connection, as docs/behaviour.md "Connections" names its fields.

import { CONNECTION, type ConnectionContract } from "../../webhooks/index.ts";
import { ButtonLink, ContractField, Form, type FormState, formFields, Hidden } from "../components/index.ts";
import type { Visit } from "../visit.ts";

/** As the REST API's upsert: PATCH may come to either. */
export const WRITE = ["Webhooks:Create", "Webhooks:Update"] as const;

export const FIELDS = formFields(CONNECTION);
/** What most connections need; all the others stand below. */
const FIRST = ["URL", "Entities", "Events", "Secret", "Name"];
const MORE = FIELDS.filter((name) => !FIRST.includes(name));

export interface ConnectionFormProps {
  visit: Visit;
  contract: ConnectionContract;
  state: FormState;
  action: string;
  back: string;
  /** What the button says. */
  label: string;
  /** A connection that is there already: its entity tag. */
  version?: string;
}

export function ConnectionForm(props: ConnectionFormProps): JSX.Element {
  const { visit, contract, state, action, back, label, version } = props;
  const isNew = version === undefined;
  const field = (name: string) => <ContractField contract={contract} name={name} state={state} isNew={isNew} />;
  // Open if there is something of it, or wrong with it.
  const isOpen = MORE.some((name) => !["", "None"].includes(state.value(name)) || state.problem(name));
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {isNew ? "" : <Hidden name="version" value={state.version(version)} />}
        {FIRST.map(field)}
        <details class="more" open={isOpen}>
          <summary safe>{MORE.map((name) => CONNECTION.fields[name as "Name"].form?.label).join(", ")}</summary>
          <div class="fields">{MORE.map(field)}</div>
        </details>
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
