import type { RoleRecord } from "../../access/index.ts";
import { Form, type FormState, Section, SelectField, TextField } from "../components/index.ts";
import type { Visit } from "../visit.ts";
import { pathOf } from "./role.ts";

export function AddMember({ visit, role, state }: { visit: Visit; role: RoleRecord; state: FormState }): JSX.Element {
  return (
    <Section title="Add a member">
      <Form visit={visit} action={`${pathOf(role)}/members/add`} state={state}>
        <div class="filters">
          <div class="filter">
            <SelectField
              state={state}
              name="Type"
              label="Kind"
              options={[
                { value: "User", label: "User" },
                { value: "Application", label: "Application" },
              ]}
            />
          </div>
          <div class="filter wide">
            <TextField state={state} name="Member" label="User name, or application's name" required />
          </div>
          <div class="filter buttons">
            <button type="submit">Add</button>
          </div>
        </div>
      </Form>
    </Section>
  );
}
