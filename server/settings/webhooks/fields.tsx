// The form of a connection, as docs/behaviour.md "Connections" names its fields.

import { CONNECTION } from "../../webhooks/index.ts";
import { ContractField, ContractForm, type ContractFormProps, formFields } from "../components/index.ts";

/** As the REST API's upsert: PATCH may come to either. */
export const WRITE = ["Webhooks:Create", "Webhooks:Update"] as const;

export const FIELDS = formFields(CONNECTION);
/** What most connections need; all the others stand below. */
const FIRST = ["URL", "Entities", "Events", "Secret", "Name"];
const MORE = FIELDS.filter((name) => !FIRST.includes(name));

export type ConnectionFormProps = Omit<ContractFormProps, "names" | "children">;

export function ConnectionForm(props: ConnectionFormProps): JSX.Element {
  const { contract, state, version } = props;
  // Open if there is something of it, or wrong with it.
  const isOpen = MORE.some((name) => !["", "None"].includes(state.value(name)) || state.problem(name));
  return (
    <ContractForm {...props} names={FIRST}>
      <details class="more" open={isOpen}>
        <summary safe>{MORE.map((name) => CONNECTION.fields[name as "Name"].form?.label).join(", ")}</summary>
        <div class="fields">
          {MORE.map((name) => (
            <ContractField contract={contract} name={name} state={state} isNew={version === undefined} />
          ))}
        </div>
      </details>
    </ContractForm>
  );
}
