// The fields of a record as the declaration has them: as a section of its page, and as columns of a list.

import type { Children } from "@kitajs/html";
import { type Declaration, recordFields } from "../../records/index.ts";
import { Badge, Code, type Column, type Fact, Link, Section, Time } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";
import { ATTRIBUTES } from "./attributes.tsx";
import { Changed, Value } from "./records.tsx";
import { nameOf, type ReferenceChoice } from "./reference-field.tsx";

type Declared = Pick<Declaration, "name" | "form" | "field" | "fields" | "references">;

export interface RecordSectionProps {
  visit: Visit;
  declaration: Declared;
  /** Default: the kind's name. */
  title?: string;
  record: object & { Description?: string };
  /** A string is a field's name. Default: the form's fields. */
  facts?: (string | Fact | false | undefined)[];
  children?: Children;
}

export function RecordSection(props: RecordSectionProps): JSX.Element {
  const { visit, declaration, title = declaration.name, record, children = "" } = props;
  const short = shortOf(declaration);
  const active = short.filter((name) => name === "Is_Active");
  const { facts = [...active, ...short.filter((name) => name !== "Is_Active"), ...stampsOf(record)] } = props;
  return (
    <Section
      title={title}
      facts={facts.map((one): Fact | false | undefined => {
        if (typeof one !== "string") return one;
        return [labelOf(declaration, one), <Cell declaration={declaration} name={one} record={record} visit={visit} />];
      })}
    >
      {!!record.Description && (
        <p class="prose" safe>
          {record.Description}
        </p>
      )}
      {children as "safe"}
    </Section>
  );
}

function stampsOf(record: object): Fact[] {
  const { CreatedOn, ModifiedOn, Id } = record as Record<string, string | undefined>;
  const stamps: Fact[] = CreatedOn
    ? [
        ["Created", <Time at={CreatedOn} />],
        ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn ?? CreatedOn} />],
      ]
    : [];
  return [...stamps, ["Id", <Code text={String(Id)} copy />]];
}

interface CellProps {
  declaration: Declared;
  name: string;
  record: object;
  /** Links foreign keys to their records. */
  visit?: Visit;
}

function Cell({ declaration, name, record, visit }: CellProps): JSX.Element {
  const value = (record as Record<string, unknown>)[name];
  if (name === "Is_Active") return <Badge state={value ? "Active" : "Inactive"} />;
  const reference = declaration.references.find((one) => one.name === name);
  if (reference) {
    const one = value as ReferenceChoice;
    const path = one.Id && visit ? visit.pathOf({ Type: reference.target, Id: one.Id }) : undefined;
    const text = one.Id ? nameOf(reference.target, one) : "";
    if (!path || !visit) return <Value text={text} />;
    return <Link href={visit.href(path)} text={text} />;
  }
  if (typeof value === "boolean") return <Value text={value ? "yes" : "no"} />;
  if (declaration.fields.find((one) => one.name === name)?.type !== "dateTime")
    return <Value text={[value ?? ""].flat().join(", ")} />;
  return value === recordFields.UNSET_DATE ? <Value text="" /> : <Time at={String(value)} />;
}

export function columnOf<Item extends object>(declaration: Declared, name: string): Column<Item> {
  return {
    name: labelOf(declaration, name),
    ...(name === "Is_Active" && { narrow: "beside" }),
    cell: (record) => <Cell declaration={declaration} name={name} record={record} />,
  };
}

/** Columns for a table on another page; the first links to the record. */
export function entityColumns(declaration: Declared, visit: Visit, [first, ...names]: string[]) {
  const leading = columnOf<ReferenceChoice>(declaration, first!);
  const cell = (record: ReferenceChoice) => (
    <Link
      href={visit.href(visit.pathOf({ Type: declaration.name, Id: record.Id })!)}
      text={nameOf(declaration.name, record)}
    />
  );
  return [{ ...leading, cell }, ...names.map((name) => columnOf<ReferenceChoice>(declaration, name))];
}

export const labelOf = ({ field }: Declared, name: string) =>
  name === "Is_Active" ? "State" : (field[name]?.form?.label ?? name);

export function shortOf({ form, field }: Declared): string[] {
  const isShown = (name: string) => name !== ATTRIBUTES && name !== "Name" && !field[name]!.writeOnly;
  return form.filter((name) => isShown(name) && !field[name]!.form?.rows);
}
