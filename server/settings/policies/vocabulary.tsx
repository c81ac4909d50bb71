import { ACTIONS } from "../../access/index.ts";

/** What a policy can speak of, for who writes one. */
export function Vocabulary(): JSX.Element {
  return (
    <details class="panel">
      <summary>What a policy can speak of</summary>
      <ul class="effects">
        <li>
          <code>principal</code>
          {" is a "}
          <code>User</code>
          {" or a "}
          <code>Client</code>
          {" (an application that calls), with that record's fields; "}
          <code>principal in Role::"editor"</code>
          {" asks for a role."}
        </li>
        <li>
          <code>action</code>
          {" is one of "}
          {ACTIONS.map((action, index) => (
            <>
              {index === 0 ? "" : ", "}
              <code safe>{`Action::"${action}"`}</code>
            </>
          ))}
          {"."}
        </li>
        <li>
          <code>resource</code>
          {" has the record's fields as the API writes them, before the change; "}
          <code>resource.after</code>
          {" has them after it. "}
          <code>resource is Application</code>
          {" asks for its kind."}
        </li>
        <li>
          <code>context</code>
          {" has "}
          <code>scopes</code>, <code>ip</code>, <code>time</code>, <code>hour</code>
          {" (0 to 23) and "}
          <code>weekday</code>
          {" (Monday is 1), in UTC."}
        </li>
      </ul>
    </details>
  );
}
