// The field for a new password, and its rule.

import { texts } from "../../ui/index.ts";
import { PASSWORD_LENGTH } from "./password.ts";

export interface NewPasswordProps {
  language: texts.Language;
  label: string;
  /** Shown above by Problem. */
  problem: string | undefined;
}

export function NewPasswordField({ language, label, problem }: NewPasswordProps): JSX.Element {
  const { t, locale } = language;
  const { format } = new Intl.NumberFormat(locale);
  const length = { min: format(PASSWORD_LENGTH.min), max: format(PASSWORD_LENGTH.max) };
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
      <small id="rule" safe>
        {texts.fill(t.passwordRule, length)}
      </small>
    </>
  );
}
