import { expect, test } from "bun:test";
import fc from "fast-check";
import { isKept, roundedNumber } from "../../../server/platform/http/numbers.ts";

test.each([
  "0",
  "-0",
  "0.0",
  "1.50",
  "1e2",
  "1E+2",
  "0.1",
  "-12.5e-3",
  "9007199254740991",
  "9007199254740992",
  "1e308",
  "0.10000000000000001",
])("%s is kept", (text) => {
  expect(isKept(text)).toBe(true);
  expect(isKept(`${text.includes(".") || /e/i.test(text) ? text : `${text}.${"0".repeat(30)}`}`)).toBe(true);
});

test.each([
  ...[
    "9007199254740993",
    "-9007199254740993",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1234567890123456789",
    "5.0000000000000001",
  ],
  ...["123456789012345678901234567890", "0.1000000000000000055511151231257827", "1e99999999999999999999"],
])("%s is rounded", (text) => {
  expect(isKept(text)).toBe(false);
});

test("every number that JSON.stringify writes is kept, and one more digit after 17 is not", () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: 1, max: 9 }),
      (number, digit) => {
        expect(isKept(JSON.stringify(number))).toBe(true);
        const longer = Math.abs(number).toExponential(17).replace("e", `000${digit}e`);
        if (number !== 0) expect(isKept(longer)).toBe(false);
      },
    ),
  );
});

test("the first rounded number is found by its path", () => {
  expect(roundedNumber('[{"a":1},{"b":{"c":[0.5,"1e400",{"d":1e400}]}}]')).toEqual({
    ...{ path: "[1].b.c[2].d", written: "1e400" },
  });
  expect(roundedNumber('{"a":[1,2.50],"b":"9007199254740993"}')).toBeUndefined();
});

test("the time grows with the length", () => {
  const timeOf = (text: string) => {
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now();
      isKept(text);
      return performance.now() - began;
    });
    return Math.max(Math.min(...times), 5);
  };
  for (const part of ["1", "0", "1.1", "10", "e", "1e", "-", "."]) {
    const [short, long] = [2 ** 17, 2 ** 20].map((length) => timeOf(part.repeat(length / part.length)));
    expect(long! / short!).toBeLessThan(32);
  }
});
