// The outcome of trying a policy: the decision on one call, or a list of calls with a changed outcome.

import type { policyTrials } from "../../records/index.ts";
import { Badge, type Column, Link, Section, Table } from "../../ui/index.ts";
import type { NameOf } from "../records/names.ts";
import { RecordLink } from "../records/record-link.tsx";
import type { Visit } from "../visit.ts";
import { MAX_CASES } from "./sample.ts";

export const POLICIES = "/settings/policies";
export const MAX_SHOWN = 20;

const FOCUSED = { autofocus: true };

export interface NamedPolicy {
  name: string;
  /** Undefined: the policy is not saved yet. */
  href: string | undefined;
}

/** @param sentence such as "ann may do AccessManager:Read on Application Payroll." */
export function answerSection(answer: policyTrials.Evaluation, sentence: string, policies: NamedPolicy[]): JSX.Element {
  const isAllowed = answer.Decision === "Allow";
  return (
    <section class="panel stack" aria-labelledby="answer" tabindex="-1" {...FOCUSED}>
      <h2 id="answer">
        <Badge state={isAllowed ? "Allowed" : "Denied"} tone={isAllowed ? "good" : "bad"} spoken />
      </h2>
      <p>
        <strong safe>{sentence}</strong>
      </p>
      {policies.length === 0 ? (
        <p>{answer.Problems.length > 0 ? "No policy decided." : "No policy permits it."}</p>
      ) : (
        <p>
          {isAllowed ? "Permitted by " : "Forbidden by "}
          {policies.map(({ name, href }, index) => (
            <>
              {index === 0 ? "" : ", "}
              {href ? <Link href={href} text={name} /> : <span safe>{name}</span>}
            </>
          ))}
        </p>
      )}
      {answer.Problems.map(({ Message }) => (
        <p safe>{Message}</p>
      ))}
    </section>
  );
}

interface ChangesProps {
  visit: Visit;
  comparison: policyTrials.Comparison;
  nameOf: NameOf;
}

export function Changes({ visit, comparison: { checked, changes }, nameOf }: ChangesProps): JSX.Element {
  const linked = (Type: string, Id: string | number) => <RecordLink visit={visit} one={{ Type, Id }} name={nameOf} />;
  const columns: Column<policyTrials.Comparison["changes"][number]>[] = [
    { name: "Who", cell: ({ principal }) => linked(principal.type, principal.id) },
    { name: "Action", cell: ({ action }) => <code safe>{action}</code> },
    { name: "Record", cell: ({ type, id }) => linked(type, id) },
    {
      name: "Would be",
      cell: ({ after }) =>
        after.Decision === "Allow" ? <Badge state="Allowed" tone="good" /> : <Badge state="Denied" tone="bad" />,
    },
  ];
  const rest = changes.length - MAX_SHOWN;
  return (
    <Section title={changes.length === 0 ? "Nothing changes" : "Changes"}>
      <p role="status" tabindex="-1" {...FOCUSED} safe>
        {`Of ${checked} checked, ${changes.length} ${changes.length === 1 ? "changes" : "change"}. ` +
          `A sample of at most ${MAX_CASES}: calls of people and applications on records, from where you are and now.`}
      </p>
      {changes.length > 0 && (
        <Table caption="Calls with another outcome" columns={columns} rows={changes.slice(0, MAX_SHOWN)} />
      )}
      {rest > 0 ? <p safe>{`… and ${rest} more.`}</p> : ""}
    </Section>
  );
}
