// The form of a User.

import type { EntityRecord } from "../../entities/index.ts";
import { ButtonLink, Checkbox, Form, type FormState, Hidden, TextField } from "../components/index.ts";
import { textsOf } from "../records/records.ts";
import { type Choice, ReferenceField, referenceOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

const TEXTS = ["Name", "Username", "Email", "MobilePhone", "External_Id"];
export const FIELDS = [...TEXTS, "Department", "Is_Active"];

export function userBody(form: URLSearchParams): EntityRecord {
  return { ...textsOf(form, TEXTS), ...referenceOf(form, "Department"), Is_Active: form.get("Is_Active") === "true" };
}

export interface UserFormProps {
  visit: Visit;
  state: FormState;
  department: Choice;
  action: string;
  back: string;
  label: string;
  /** A User who is there already: the record's entity tag. */
  version?: string;
}

export function UserForm({ visit, state, department, action, back, label, version }: UserFormProps): JSX.Element {
  const field = { state, required: false };
  const isNew = version === undefined;
  return (
    <div class="panel narrow">
      <Form visit={visit} action={action} state={state}>
        {version === undefined ? "" : <Hidden name="version" value={state.version(version)} />}
        <TextField state={state} name="Name" label="Full name" required={isNew} />
        <TextField
          state={state}
          name="Username"
          label="User name"
          hint="What the person signs in with."
          required={isNew}
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
        <Checkbox state={state} name="Is_Active" label="Active" hint="Who is not active cannot sign in." />
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
