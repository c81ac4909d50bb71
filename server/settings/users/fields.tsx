// The form of a User.

import type { EntityRecord } from "../../entities/index.ts";
import { ButtonLink, Checkbox, Form, type FormState, Hidden, TextField } from "../components/index.ts";
import { textsOf } from "../records/records.ts";
import { type Choice, ReferenceField, referenceOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

const TEXTS = ["Name", "Username", "Email", "MobilePhone", "External_Id"];
export const FIELDS = [...TEXTS, "Department", "Is_Active"];

export function userBody(form: URLSearchParams): EntityRecord {
  return { ...textsOf(form, TEXTS), ...referenceOf(form, "Department") };
}

export interface UserFormProps {
  visit: Visit;
  state: FormState;
  department: Choice;
  action: string;
  back: string;
  label: string;
  /** Fields that cannot be left empty. */
  needed: readonly string[];
  /** A User who is there already: the record's entity tag. */
  version?: string;
}

export function UserForm(props: UserFormProps): JSX.Element {
  const { visit, state, department, action, back, label, needed, version } = props;
  const field = { state, required: false };
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField state={state} name="Name" label="Full name" required={needed.includes("Name")} />
        <TextField
          state={state}
          name="Username"
          label="User name"
          hint="What the person signs in with."
          required={needed.includes("Username")}
        />
        <TextField {...field} name="Email" label="E-mail" type="email" />
        <TextField {...field} name="MobilePhone" label="Mobile phone" />
        <TextField
          {...field}
          name="External_Id"
          label="External Id"
          hint="What another system knows the person by; nobody else may have it."
        />
        <ReferenceField state={state} name="Department" label="Department" choice={department} />
        {/* Deactivating ends all sign-ins, so it has a button of its own, which asks. */}
        {version === undefined ? (
          <Checkbox state={state} name="Is_Active" label="Active" hint="Who is not active cannot sign in." />
        ) : (
          ""
        )}
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
