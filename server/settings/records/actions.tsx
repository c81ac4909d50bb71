import { ActionButton, AskButton, ButtonLink, phrase } from "../components/index.ts";
import type { Visit } from "../visit.ts";

export interface RecordActionsProps {
  visit: Visit;
  /** The entity's name. */
  type: string;
  record: object;
  /** What it is called. */
  title: string;
  /** The record's page, below which `change`, `state` and `delete` are. */
  path: string;
  /** With a button for the state as well. */
  isActive?: boolean;
}

/** What becomes of one that is switched off. */
const DEACTIVATED: Record<string, string[]> = {
  Application: [
    "It gets no tokens any more, and those it has are no longer good.",
    "Nobody can sign in to it until it is active again.",
  ],
  User: [
    "All sign-ins, codes and tokens end for good, in every browser and application.",
    "The user cannot sign in until active again, and then signs in anew.",
  ],
};

/** What may be done with a record: changing it, switching it on or off, deleting it. */
export function RecordActions({ visit, type, record, title, path, isActive }: RecordActionsProps): JSX.Element {
  const subject = { ...record };
  const mayChange = visit.may("AccessManager:Create") && visit.may("AccessManager:Update", type, subject);
  return (
    <>
      {mayChange ? <ButtonLink href={visit.href(`${path}/change`)}>Change</ButtonLink> : ""}
      {mayChange && isActive === false ? (
        <ActionButton visit={visit} action={`${path}/state`} label="Activate" fields={{ Is_Active: "true" }} />
      ) : (
        ""
      )}
      {mayChange && isActive ? (
        <AskButton
          visit={visit}
          action={`${path}/state`}
          label="Deactivate"
          question={phrase`Deactivate ${title}?`}
          effects={DEACTIVATED[type] ?? []}
          confirm={`Deactivate ${type.toLowerCase()}`}
          fields={{ Is_Active: "false" }}
        />
      ) : (
        ""
      )}
      {visit.may("AccessManager:Delete", type, subject) ? (
        <ButtonLink href={visit.href(`${path}/delete`)} kind="danger">
          Delete
        </ButtonLink>
      ) : (
        ""
      )}
    </>
  );
}
