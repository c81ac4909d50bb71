import { expect, test } from "bun:test";
import { causeOf } from "../../support/faults.ts";
import { saw, until } from "../../support/until.ts";

test("a wait in vain says what it waited for, what was seen last, and its condition", async () => {
  let asked = 0;
  const wait = until(
    "the order to be paid",
    () => {
      asked++;
      saw("answer of GET /Order", () => `200 {"State":"Open","Asked":${asked}}`);
      return undefined;
    },
    40,
  );
  const message = await wait.then(String, ({ message }: Error) => message);
  expect(message).toMatch(/^Waited 0\.\d s for the order to be paid\.\n/);
  expect(message).toContain(`\n  last answer of GET /Order: 200 {"State":"Open","Asked":${asked}}\n`);
  expect(message).toContain("condition: () => { asked++;");
});

test("without another sight, a wait in vain shows the last answer of its condition, and what is long is cut", async () => {
  await expect(until("nothing", () => 0, 10)).rejects.toThrow("last answer: 0");
  const long = until("a short page", () => void saw("page", () => "x".repeat(5_000)), 10);
  await expect(long).rejects.toThrow(/last page: x{1000}… \(5000 characters\)/);
});

test("conditions that run beside each other keep their own sights", async () => {
  const wait = (word: string) => until(word, () => void saw("word", () => word), 30).then(String, String);
  const [one, other] = await Promise.all([wait("one"), wait("other")]);
  expect([one.includes("last word: one"), one.includes("last word: other")]).toEqual([true, false]);
  expect(other).toContain("last word: other");
});

test("the cause of a 500 is the logged error of its request ID", () => {
  const stack = ["TypeError: x is undefined", ...Array.from({ length: 20 }, (_, line) => `    at f${line} (a.ts)`)];
  const log = [
    { requestKey: "one", msg: "request", status: 500 },
    { requestKey: "other", err: { stack: "Error: another request" } },
    { requestKey: "one", err: { stack: stack.join("\n") } },
  ];
  const text = log.map((line) => JSON.stringify(line)).join("\n");
  expect(causeOf("one", text)).toMatch(/^TypeError: x is undefined\n {2}at f0 \(a\.ts\)\n[\s\S]*f4/);
  expect(causeOf("one", text)).not.toContain("f5");
  expect(causeOf("unknown", text)).toBeUndefined();
});
