// The vocabulary of policies. The editor makes each word a button that inserts it at the cursor.

import type { Children } from "@kitajs/html";
import { ACTIONS, actionsOn, initialAccess, type ResourceType } from "../../records/index.ts";

const WRITTEN: Record<ResourceType["attributes"][number]["type"], (path: string) => string> = {
  text: (path) => `${path} == ""`,
  texts: (path) => `${path}.contains("")`,
  number: (path) => `${path} == 0`,
  boolean: (path) => path,
  dateTime: (path) => `${path} > datetime("2026-01-31")`,
  reference: (path) => `${path.replace(".", " has ")} && ${path}.Id == 0`,
  record: (path) => path.replace(".", " has "),
};

const OF_CALLER = [
  ["a role", 'principal in Role::"editor"'],
  ["a user", "principal is User"],
  ["an application", "principal is Client"],
  ["one of them", 'principal == Client::"1002"'],
] as const;

const OF_CALL = [
  ["scopes", 'context.scopes.contains("AccessManager:Read")'],
  ["address", 'context.ip.isInRange(ip("10.0.0.0/8"))'],
  ["time", 'context.time < datetime("2026-12-31T23:59:59Z")'],
  ["hour, 0 to 23 in UTC", "context.hour >= 8 && context.hour < 18"],
  ["weekday, Monday is 1", "context.weekday <= 5"],
  ["in the payload of an event", "context.payload"],
] as const;

export function Vocabulary({ types }: { types: ReadonlyMap<string, ResourceType> }): JSX.Element {
  return (
    <section class="panel stack aside">
      <h2>Vocabulary</h2>
      <p class="fine">resource.after has the fields of resource after the change.</p>
      <Part title="Caller: principal">
        <Words words={OF_CALLER} />
      </Part>
      <Part title="Action: action">
        <Words words={ACTIONS.map((action) => ["", `action == Action::"${action}"`] as const)} />
      </Part>
      {[...types.values()].map((type) => (
        <Part title={`Record: ${type.name}`}>
          <p class="hint" safe>
            {actionsInShort(type)}
          </p>
          <Words
            words={[
              ["", `resource is ${type.name}`],
              ...(type.members && !type.key ? [["member of one", `principal in ${type.name}::"1"`] as const] : []),
              ...type.attributes.map((one) => [WORDS[one.type], WRITTEN[one.type](`resource.${one.name}`)] as const),
            ]}
          />
        </Part>
      ))}
      <Part title="Address and time: context">
        <Words words={OF_CALL} />
      </Part>
      <Part title="Examples">
        {initialAccess.POLICIES.map(({ description, policy }) => (
          <>
            <p safe>{description}</p>
            <pre class="insert">
              <code safe>{policy}</code>
            </pre>
          </>
        ))}
      </Part>
    </section>
  );
}

const WORDS: Record<keyof typeof WRITTEN, string> = {
  text: "text",
  texts: "set of texts",
  number: "number",
  boolean: "true or false",
  dateTime: "datetime",
  reference: "foreign key",
  record: "record",
};

/** Such as "AccessManager:Read, Create". */
function actionsInShort(type: ResourceType): string {
  const families = Map.groupBy(actionsOn(type), (action) => action.split(":")[0]!);
  return [...families]
    .map(([family, actions]) => `${family}:${actions.map((action) => action.split(":")[1]).join(", ")}`)
    .join("; ");
}

function Part({ title, children }: { title: string; children: Children }): JSX.Element {
  return (
    <details>
      <summary safe>{title}</summary>
      {children as "safe"}
    </details>
  );
}

/** A self-explanatory word has no label. */
function Words({ words }: { words: readonly (readonly [label: string, text: string])[] }): JSX.Element {
  return (
    <ul class="words">
      {words.map(([label, text]) => (
        <li>
          {label ? <small safe>{label}</small> : ""}
          <code safe>{text}</code>
        </li>
      ))}
    </ul>
  );
}
