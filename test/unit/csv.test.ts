import { describe, expect, test } from "bun:test";
import { type CsvRow, csvRows } from "../../server/platform/csv.ts";

const WRONG = "A quotation mark is in the wrong place.";
const LONG = "It has more than 100000 characters.";

async function rowsOf(...lines: string[]): Promise<[number, CsvRow["cells"] | string][]> {
  const rows = await Array.fromAsync(csvRows(lines, (names) => names));
  return rows.map(({ number, cells, problem }) => [number, problem ?? cells]);
}

describe("rows of CSV", () => {
  test.each([",", ";", "\t"])("have cells between %j, by the names of the first row", async (separator) => {
    const lines = ["a,b,c", '1,"2, or "",""",', '"x', 'y",,z', ",,", "", "4"].map((one) =>
      one.replaceAll(",", separator),
    );
    expect(await rowsOf(...lines)).toEqual([
      [2, { a: "1", b: `2${separator} or "${separator}"` }],
      [3, { a: "x\ny", c: "z" }],
      [5, {}],
      [6, {}],
      [7, { a: "4" }],
    ]);
  });

  test("with a wrong quotation mark are refused one by one", async () => {
    expect(await rowsOf("a,b", '"x,1', "2,3", "4,5,6", '7" x,8', '9,"10"x', '11,"12', '13,"14"')).toEqual([
      [2, WRONG],
      [3, { a: "2", b: "3" }],
      [4, "It has more cells than the first line."],
      [5, WRONG],
      [6, WRONG],
      [7, WRONG],
      [8, { a: "13", b: "14" }],
    ]);
  });

  test("are refused beyond 100,000 characters or 20 lines", async () => {
    const half = "x".repeat(50_000);
    const lines = Array.from({ length: 18 }, () => "x");
    const all = [
      "a",
      half + half,
      `${half}${half}x`,
      `"${half}`,
      `${half}"`,
      '"',
      ...lines,
      '"',
      '"',
      "x",
      ...lines,
      '"',
    ];
    const rows = await rowsOf(...all);
    const wrong = rows.flatMap(([number, row]) => (typeof row === "string" ? [[number, row]] : []));
    expect(wrong).toEqual([
      [3, LONG],
      [4, LONG],
      [5, WRONG],
      [26, WRONG],
      [46, WRONG],
    ]);
  });

  test.each([
    ["open quotation marks", '"\n'],
    ["some of them", `"\n${"x\n".repeat(25)}`],
    ["wrong marks", '"a"b\n'],
    ["empty cells", '"",""\n'],
    ["empty rows", "\n"],
  ])("of %s take a time that grows like the text", async (_, part) => {
    const timeOf = async (length: number) => {
      const lines = part.repeat(Math.ceil(length / part.length)).split("\n");
      const began = performance.now();
      await rowsOf("a,b", ...lines);
      return performance.now() - began;
    };
    await timeOf(20_000);
    const short = Math.min(await timeOf(20_000), await timeOf(20_000), await timeOf(20_000));
    expect(await timeOf(80_000)).toBeLessThan(16 * short);
  });
});
