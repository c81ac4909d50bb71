import { attribute } from "../../signin/index.ts";

export interface Column<Row> {
  name: string;
  cell: (row: Row) => JSX.Element;
  /** Numbers stand at the right. */
  numeric?: boolean;
}

export interface TableProps<Row> {
  /** For who does not see the heading above it. */
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
}

/** What the elements are by themselves, said again for when their display is no table's. */
const ROLES = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  rowheader: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

/**
 * On a narrow screen each row is a card, and each cell has its column's name beside it. The first column names the row.
 */
export function Table<Row>({ caption, columns, rows }: TableProps<Row>): JSX.Element {
  return (
    <table class="rows" {...ROLES.table}>
      <caption class="unseen" safe>
        {caption}
      </caption>
      <thead {...ROLES.rowgroup}>
        <tr {...ROLES.row}>
          {columns.map(({ name, numeric }) => (
            <th scope="col" {...ROLES.columnheader} class={numeric ? "number" : undefined} safe>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLES.rowgroup}>
        {rows.map((row) => (
          <tr {...ROLES.row}>
            {columns.map(({ name, cell, numeric }, index) =>
              index === 0 ? (
                <th scope="row" {...ROLES.rowheader}>
                  {cell(row)}
                </th>
              ) : (
                <td {...ROLES.cell} class={numeric ? "number" : undefined} data-name={attribute(name)}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What belongs to one thing, name by name. `brief`: each value is a word or a number. */
export function Facts({ facts, brief }: { facts: [name: string, value: JSX.Element][]; brief?: boolean }): JSX.Element {
  return (
    <dl class={brief ? "facts brief" : "facts"}>
      {facts.map(([name, value]) => (
        <div>
          <dt safe>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
