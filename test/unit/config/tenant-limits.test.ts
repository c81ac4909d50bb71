import { describe, expect, test } from "bun:test";
import { readConfig } from "../../../server/platform/config/config.ts";
import { effective, LIMIT_NAMES, LIMITS, MAX_BOUND } from "../../../server/platform/tenant-limits.ts";

describe.each(LIMIT_NAMES)("%s of the installation", (name) => {
  const { variable, unit } = LIMITS[name];

  test.each(["0", "-1", "1.5", "many", "1e6", " 5", "1000000000"])("cannot be %p", (text) => {
    expect(() => readConfig({ [variable]: text })).toThrow(
      `${variable} is "${text}"; it must be a whole number of ${unit} from 1 to ${MAX_BOUND}`,
    );
  });

  test("can be 1, and is not exceeded by a tenant's own", () => {
    const { tenantLimits } = readConfig({ [variable]: "1" });
    const none = Object.fromEntries(LIMIT_NAMES.map((each) => [each, null])) as Record<typeof name, null>;
    expect(effective(tenantLimits, none)).toEqual(tenantLimits);
    expect(effective(tenantLimits, { ...none, [name]: 5 })[name]).toBe(1);
    expect(effective({ ...tenantLimits, [name]: 9 }, { ...none, [name]: 5 })[name]).toBe(5);
  });
});
