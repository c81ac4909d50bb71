import { Link, Text } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";
import type { NamedRecord, NameOf } from "./names.ts";

interface RecordLinkProps {
  visit: Visit;
  one: NamedRecord | null | undefined;
  name: NameOf;
  /** Instead of no record. */
  none?: string;
  /** A record that is deleted or hidden from the reader is shown as none. */
  isKnown?: boolean;
}

export function RecordLink({ visit, one, name, none = "none", isKnown }: RecordLinkProps): JSX.Element {
  if (!one || (isKnown && name.known(one) === undefined)) {
    return (
      <span class="none" safe>
        {none}
      </span>
    );
  }
  const path = visit.pathOf(one);
  return (
    <bdi>{path === undefined ? <Text text={name(one)} /> : <Link href={visit.href(path)} text={name(one)} />}</bdi>
  );
}
