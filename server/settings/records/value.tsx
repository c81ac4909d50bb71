import { Time } from "../components/index.ts";

/** A text of a record; one that is not set says so. */
export function Value({ text }: { text: string }): JSX.Element {
  if (text === "") return <span class="none">none</span>;
  return <span safe>{text}</span>;
}

export interface ChangedProps {
  CreatedOn: string;
  ModifiedOn: string;
  /** How long that is past. */
  ago?: boolean;
}

/** A record is not changed by being made. */
export function Changed({ CreatedOn, ModifiedOn, ago = false }: ChangedProps): JSX.Element {
  if (ModifiedOn === CreatedOn) return <span class="none">never</span>;
  return <Time at={new Date(ModifiedOn)} ago={ago} />;
}
