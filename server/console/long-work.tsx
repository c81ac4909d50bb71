// Long work that is followed, paused and cancelled on its page, such as a redelivery or an import.

import type { Children } from "@kitajs/html";
import { ActionButton, AskButton, Facts, Section, Time } from "../ui/index.ts";
import type { Confirmation, Visit } from "./page.tsx";
import { hrefOfWorkflow } from "./workflow.tsx";

interface RunSectionProps {
  visit: Visit;
  title: string;
  /** Of the bar. */
  label: string;
  run: { WorkflowId: string; CreatedOn: string; EndedOn: string | null; Done: number; Total: number };
  facts: Parameters<typeof Facts>[0]["facts"];
  children?: Children;
}

export function RunSection({ visit, title, label, run, facts, children = "" }: RunSectionProps): JSX.Element {
  const { Done, Total, CreatedOn, EndedOn } = run;
  return (
    <Section title={title}>
      <progress max={Total || 1} value={Total === 0 ? 1 : Done} aria-label={label}>
        {""}
      </progress>
      <Facts brief facts={facts} />
      <p>
        <small>
          Begun <Time at={CreatedOn} />.{" "}
          {EndedOn !== null && (
            <>
              Ended <Time at={EndedOn} />.{" "}
            </>
          )}
          <a href={hrefOfWorkflow(visit, run)} rel="noreferrer">
            Workflow in Temporal
          </a>
        </small>
      </p>
      {children as "safe"}
    </Section>
  );
}

interface RunButtonsProps {
  visit: Visit;
  action: string;
  isRunning: boolean;
  /** After "Pause" and "Resume". */
  noun?: string;
  fields?: Readonly<Record<string, string>>;
  /** Of the button that cancels the rest. */
  question: Confirmation;
}

/** Sends the new state as `State`. */
export function RunButtons({ visit, action, isRunning, noun = "", fields, question }: RunButtonsProps): JSX.Element {
  return (
    <div class="buttons">
      <ActionButton
        visit={visit}
        action={action}
        label={`${isRunning ? "Pause" : "Resume"}${noun}`}
        fields={{ State: isRunning ? "Paused" : "Running", ...fields }}
        kind={isRunning ? "plain" : "main"}
      />
      <AskButton visit={visit} action={`${action}/cancel`} label="Cancel the rest" kind="danger" question={question} />
    </div>
  );
}
