import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Part } from "../../../server/appliance/embedded/part.ts";

/** More than are shown of a log. */
const FOREIGN_LINES = 12;

test("a part that does not start is judged by its own lines, not by those of an earlier process", async () => {
  const logFile = join(mkdtempSync(join(tmpdir(), "gatehouse-part-")), "part.log");
  await Bun.write(logFile, "");
  const script = `
    echo "now [$$] FATAL:  pre-existing shared memory block is still in use" >> ${logFile}
    for line in $(seq ${FOREIGN_LINES}); do echo "now [1] FATAL:  terminating connection" >> ${logFile}; done
    exit 1`;
  const heard: string[] = [];
  const part = new Part(
    {
      name: "PostgreSQL",
      patience: 10_000,
      logFile,
      stop: [],
      spawn: async () => Bun.spawn(["sh", "-c", script], { stdin: "ignore", stdout: "inherit", stderr: "inherit" }),
      ready: () => Promise.reject(new Error("not yet")),
      async mayStartAgain({ message }) {
        heard.push(message);
        return false;
      },
    },
    () => {},
  );
  await expect(part.start()).rejects.toThrow("pre-existing shared memory block");
  expect(heard).toEqual([expect.stringContaining("pre-existing shared memory block")]);
  expect(heard[0]).not.toContain("terminating connection");
});
