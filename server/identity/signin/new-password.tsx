// The field for a new password, and its rule.

import { PASSWORD_LENGTH } from "./password.ts";

export interface NewPasswordProps {
  label: string;
  /** Shown above by Problem. */
  problem: string | undefined;
}

export function NewPasswordField({ label, problem }: NewPasswordProps): JSX.Element {
  const { min, max } = PASSWORD_LENGTH;
  return (
    <>
      <label for="new-password" safe>
        {label}
      </label>
      <input
        id="new-password"
        name="new_password"
        type="password"
        autocomplete="new-password"
        required
        aria-describedby={problem ? "problem rule" : "rule"}
        aria-invalid={problem ? "true" : undefined}
      />
      <small id="rule" safe>{`${min} to ${max} characters of any kind; several unrelated words work well.`}</small>
    </>
  );
}
