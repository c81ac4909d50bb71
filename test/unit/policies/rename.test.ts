// The names of roles are read as Cedar reads them, without asking it for each.

import { expect, test } from "bun:test";
import { createCedar, namedBy, statementsOf } from "../../../server/records/access/decisions/cedar.ts";
import { withRole } from "../../../server/records/access/policies/rename.ts";

const { run } = createCedar();
const rolesIn = (policy: string) =>
  namedBy(run((cedar) => statementsOf(cedar, policy)).flatMap(({ json }) => json ?? [])).get("Role") ?? new Set();

test("every escape of Cedar is read as Cedar reads it", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const escapes = [
    ...ascii.map((one) => `\\${one}`),
    ...ascii.map((one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`),
    ...["\\x4A", "\\x4a", "\\u{41}", "\\u{4_1}", "\\u{41__}", "\\u{000041}", "\\u{1F600}", "\\u{10ffff}", "\\u{0}"],
    ...["\\\\n", "\\\\\\n", "\\\\u{41}", "\\x5cx41", "é", "😀", "\n", "\u2028", "'", "\\'\\\""],
  ];
  let valid = 0;
  for (const one of escapes) {
    const policy = (literal: string) => `permit (principal in Role::${literal}, action, resource);`;
    const given = policy(`"a${one}b"`);
    const [name] = rolesIn(given) as Set<string>;
    if (name === undefined) continue;
    valid++;
    expect({ one, text: withRole(given, name, "head") }).toEqual({ one, text: policy('"head"') });
    expect({ one, text: withRole(given, `${name}x`, "head") }).toEqual({ one, text: given });
    const back = withRole(policy('"head"'), "head", name);
    expect({ one, roles: [...rolesIn(back)] }).toEqual({ one, roles: [name] });
  }
  expect(valid).toBeGreaterThan(128 + 15);
});

test("a change of name takes less time than Cedar needs for the text once, whatever number of roles it names", () => {
  const roles = Array.from({ length: 300 }, (_, index) => `Role::"r${index}"`);
  const policy = `permit (principal, action, resource) when { principal in [${roles}] };`;
  const quickest = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const began = performance.now();
        work();
        return performance.now() - began;
      }),
    );
  const changing = quickest(() => withRole(policy, "r7", "head"));
  expect(changing).toBeLessThan(quickest(() => rolesIn(policy)));
});
