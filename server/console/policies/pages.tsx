import { POLICY, type PolicyRecord } from "../../records/index.ts";
import { ButtonLink, bodyOf, ContractFields, formFields, formOf, phrase } from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices } from "../page.tsx";
import { declaredPages } from "../records/declared.tsx";
import { Changed, Value } from "../records/records.tsx";
import { checkPage, policyText, problemsIn } from "./check.ts";
import { Editor } from "./editor.tsx";
import { comparedPages, TryButton, tryPages } from "./try.tsx";
import { versionPages } from "./versions.tsx";
import { Vocabulary } from "./vocabulary.tsx";

const TEXTS = formFields(POLICY);
const SAVED = "The policy is saved and in force.";

/** A starting point that permits only what it says. */
const SAMPLE = `permit (
  principal in Role::"editor",
  action == Action::"AccessManager:Read",
  resource is Application
)
when { resource.Name like "Sales *" };
`;

/** Includes the records that the policy names and that do not exist. */
function savedOf({ Findings = [] }: Partial<PolicyRecord>): string {
  return [SAVED, ...Findings.map(({ Message }) => Message)].join(" ");
}

function Missing({ findings }: { findings: PolicyRecord["Findings"] }): JSX.Element {
  if (findings.length === 0) return "";
  return (
    <ul class="findings">
      {findings.map(({ Message }) => (
        <li safe>{Message}</li>
      ))}
    </ul>
  );
}

export function policyPages(deps: ConsoleServices): ConsolePage[] {
  const pages = declaredPages(POLICY, deps.policies, {
    columns: [
      { name: "Text", cell: ({ Description }) => <Value text={Description} /> },
      { name: "Changed", cell: (policy) => <Changed {...policy} ago /> },
    ],
    list: {
      lead: (visit) => (
        <p class="fine">
          A request needs a scope and a policy that permits it. <a href={visit.href("/settings/roles")}>Roles</a> define
          groups. <a href={visit.href("/settings/policies/try")}>Try a call</a> to see which policy decides.
        </p>
      ),
      none: ["No policies to see", "Requests without a permitting policy are denied."],
    },
    form: {
      names: [...TEXTS, "Policy"],
      inPlace: {
        label: "Save policy",
        beside: (visit) => <TryButton visit={visit} />,
        aside: <Vocabulary types={deps.policies.types} />,
      },
      async of(visit, held) {
        const { Name = "", Description = "", Policy = SAMPLE } = held?.record ?? {};
        return {
          state: formOf({ Name, Description, Policy }),
          fields: async (state) => {
            const problems = state.problem("Policy") === undefined ? [] : await problemsIn(deps.policies, visit);
            return (
              <>
                <ContractFields contract={POLICY} names={TEXTS} state={state} isNew={!held} />
                <Missing findings={held?.record.Findings ?? []} />
                <Editor visit={visit} state={state} problems={problems} />
              </>
            );
          },
        };
      },
      body: async ({ form }) => ({ ...bodyOf(POLICY, TEXTS, form), Policy: policyText(form) }),
    },
    page: {
      show: async (visit, { record: { Description, Policy, Findings } }) => (
        <div class="panel stack">
          <p safe>{Description || "No description."}</p>
          <Missing findings={Findings} />
          <Editor visit={visit} state={formOf({ Policy })} problems={[]} readonly />
        </div>
      ),
      actions: (visit, { record: { Id } }) => ({
        first: <ButtonLink href={visit.href(`/settings/policies/${Id}/versions`)} label="Versions" />,
      }),
      effects: ({ Name }) => [
        phrase`Calls that only "${Name}" permits are rejected from now on.`,
        "Calls that only it forbids are allowed from now on, if another policy permits them.",
        "Its text and all versions are deleted; copy what you may need.",
      ],
    },
    messages: { added: (_, policy) => savedOf(policy), changed: (_, policy) => savedOf(policy) },
    more: [checkPage(deps), ...tryPages(deps), ...versionPages(deps)],
  });
  return [...pages, ...comparedPages(deps, pages)];
}
