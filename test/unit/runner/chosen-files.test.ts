import { expect, test } from "bun:test";
import { isSlow, nearChange } from "../../support/chosen-files.ts";

/** Tests of the architecture would take an import in a text for one of this file. */
const uses = (path: string) => `import type { it } from "${path}";`;

const FILES = {
  "server/app.ts": "",
  "server/records/write.ts": "",
  "server/records/entities/user.ts": uses("../write.ts"),
  "server/platform/text.ts": "",
  "test/world/tenant.ts": uses("../../server/records/entities/user.ts"),
  "test/world/receiver.ts": uses("./tenant.ts"),
  "test/entities/user.test.ts": uses("../world/tenant.ts"),
  "test/webhooks/post.test.ts": uses("../world/receiver.ts"),
  "test/oauth/texts.test.ts": uses("../../server/platform/text.ts"),
  "test/openapi/document.test.ts": "",
  "test/unit/records/user.test.ts": uses("../../../server/records/entities/user.ts"),
};
const sources = Object.entries(FILES).map(([path, text]) => ({ path, text }));
const near = (...changed: string[]) => nearChange(sources, changed);

test("a changed test runs, and so do the tests that import a changed helper, also for its types", () => {
  expect(near("test/entities/user.test.ts")).toEqual(["test/entities/user.test.ts"]);
  expect(near("test/world/receiver.ts")).toEqual(["test/webhooks/post.test.ts"]);
  expect(near("test/world/tenant.ts")).toEqual(["test/entities/user.test.ts", "test/webhooks/post.test.ts"]);
});

test("a change of the server runs the folder of its name, unit tests that reach it, and tests that import it", () => {
  expect(near("server/records/entities/user.ts")).toEqual([
    "test/entities/user.test.ts",
    "test/unit/records/user.test.ts",
  ]);
  expect(near("server/records/write.ts")).toContain("test/unit/records/user.test.ts");
  expect(near("server/platform/text.ts")).toEqual(["test/oauth/texts.test.ts"]);
});

test("a file beside tests runs the tests of its folder", () => {
  expect(near("test/openapi/document.txt")).toEqual(["test/openapi/document.test.ts"]);
});

test("a change that is near no test, or that composes everything, runs all", () => {
  expect(near("package.json")).toBeUndefined();
  expect(near("test/world/unused.ts")).toBeUndefined();
  expect(near("server/app.ts")).toBeUndefined();
  expect(near("test/entities/user.test.ts", "bun.lock")).toBeUndefined();
});

test("nothing runs for a removed test, or for code without tests of a running Gatehouse", () => {
  expect(near("test/entities/removed.test.ts", "bench/main.ts", "LICENSE")).toEqual([]);
});

test("slow are the tests that start a Gatehouse or kill it, and those that walk everything", () => {
  const slow = (path: string, text = "") => isSlow({ path, text });
  expect(slow("test/crash/worker.test.ts")).toBe(true);
  expect(slow("test/attacks/names.slow.test.ts")).toBe(true);
  expect(slow("test/metrics/story.test.ts", `await using stack = await ${"startStack"}();`)).toBe(true);
  expect(slow("test/entities/user.test.ts", "await newTenant();")).toBe(false);
});
