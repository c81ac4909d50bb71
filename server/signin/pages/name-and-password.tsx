import { attribute } from "./attribute.ts";

export interface NameAndPasswordProps {
  /** What was typed before, or hinted at. */
  username: string;
  /** Why the last attempt failed; it stands above as `#problem`. */
  problem?: string;
}

/** The names `username` and `password` are what password managers, and scripts that sign in, look for. */
export function NameAndPassword({ username, problem }: NameAndPasswordProps): JSX.Element {
  const described = problem ? "problem" : undefined;
  const invalid = problem ? "true" : undefined;
  return (
    <>
      <label for="username">User name</label>
      <input
        id="username"
        name="username"
        value={attribute(username)}
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        maxlength="1000"
        required
        autofocus={username === ""}
        aria-describedby={described}
        aria-invalid={invalid}
      />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        maxlength="1000"
        required
        autofocus={username !== ""}
        aria-describedby={described}
        aria-invalid={invalid}
      />
    </>
  );
}
