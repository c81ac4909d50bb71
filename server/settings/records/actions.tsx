import { ActionButton, ButtonLink } from "../components/index.ts";
import type { Visit } from "../visit.ts";

export interface RecordActionsProps {
  visit: Visit;
  /** The entity's name. */
  type: string;
  record: object;
  /** The record's page, below which `change`, `state` and `delete` are. */
  path: string;
  /** With a button for the state as well. */
  isActive?: boolean;
}

/** What may be done with a record: changing it, switching it on or off, deleting it. */
export function RecordActions({ visit, type, record, path, isActive }: RecordActionsProps): JSX.Element {
  const subject = { ...record };
  const mayChange = visit.may("AccessManager:Create") && visit.may("AccessManager:Update", type, subject);
  return (
    <>
      {mayChange ? <ButtonLink href={visit.href(`${path}/change`)}>Change</ButtonLink> : ""}
      {mayChange && isActive !== undefined ? (
        <ActionButton
          visit={visit}
          action={`${path}/state`}
          label={isActive ? "Deactivate" : "Activate"}
          fields={{ Is_Active: String(!isActive) }}
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
