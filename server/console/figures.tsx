// Numbers that say at a glance how something fares.

import type { SignIns } from "../audit/index.ts";
import { attribute, Section } from "../ui/index.ts";
import type { Visit } from "./visit.ts";

export interface Figure {
  name: string;
  value: string;
  isBad?: boolean;
  /** Where the value leads. */
  href?: string;
}

export function FigureList({ figures }: { figures: readonly Figure[] }): JSX.Element {
  return (
    <dl class="figures">
      {figures.map(({ name, value, isBad, href }) => (
        <div class={isBad ? "bad" : undefined}>
          <dt safe>{name}</dt>
          <dd>
            {href === undefined ? (
              <span safe>{value}</span>
            ) : (
              <a href={attribute(href)} safe>
                {value}
              </a>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How people signed in; each number leads to the rows of the audit log that it counts, or has them among others. */
export function SignInFigures({ visit, signIns }: { visit: Visit; signIns: SignIns }): JSX.Element {
  const { succeeded, people, secondFactors, failed, secondFactorsFailed } = signIns;
  const rows = (Kind: string) => visit.href(`/settings/audit-log?${new URLSearchParams({ Kind, Last: "24h" })}`);
  const figure = (name: string, count: number, kind: string): Figure => ({
    name,
    value: count.toLocaleString("en"),
    href: rows(kind),
  });
  return (
    <Section title="Sign-ins, last 24 hours" id="sign-ins">
      <FigureList
        figures={[
          figure("Signed in", succeeded, "SignIn.Succeeded"),
          figure("Different users", people, "SignIn.Succeeded"),
          figure("With a second factor", secondFactors, "SignIn.Succeeded"),
          figure("Failed", failed, "SignIn.Failed"),
          figure("Wrong second factor", secondFactorsFailed, "SecondFactor.Failed"),
        ]}
      />
    </Section>
  );
}
