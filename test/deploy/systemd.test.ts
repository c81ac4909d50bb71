// The units of deploy/systemd, as systemd itself judges them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/directories.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";

const SOURCE = join(ROOT, "deploy/systemd");
/** systemd calls a unit with less than 2 OK, and one without any of these settings, with 9.6, UNSAFE. */
const MAX_EXPOSURE = 1.1;
const units = readdirSync(SOURCE).filter((name) => name.endsWith(".service"));

const folder = temporaryDirectory("systemd");
/** For systemd's own units too. */
const env = { SYSTEMD_UNIT_PATH: `${folder}:` };

beforeAll(() => {
  cpSync(SOURCE, folder, { recursive: true });
  // Bun is elsewhere on this machine, and a program that is not there is a mistake.
  for (const unit of units) {
    writeFileSync(join(folder, unit), textOf(unit).replaceAll("/usr/local/bin/bun", process.execPath));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(units)("%s", (unit) => {
  test("systemd-analyze finds no mistake", async () => {
    const verify = ["sh", "-c", 'systemd-analyze verify --man=no "$0" 2>&1 || true', join(folder, unit)];
    expect(await printedBy(verify, folder, { env })).toBe("");
  });

  test(`has an exposure of at most ${MAX_EXPOSURE}`, async () => {
    const analyze = ["systemd-analyze", "security", "--offline=true", "--no-pager", join(folder, unit)];
    const told = await printedBy(analyze, folder, { env });
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(told) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
  });

  test("is started again however often it has failed", () => {
    const common = textOf("gatehouse-.service.d/common.conf");
    const [, section] = /^\[Unit\]\n([^[]*)/m.exec(common) ?? [];
    expect(section).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(textOf(unit)).not.toMatch(/^StartLimit/m);
    expect(textOf(unit)).toMatch(/^(Restart=always|Type=oneshot)$/m);
  });

  test("starts a file of the project", async () => {
    const [, file] = /^ExecStart=\/usr\/local\/bin\/bun --no-env-file (\S+)$/m.exec(textOf(unit)) ?? [];
    expect(await Bun.file(join(ROOT, file!)).exists()).toBe(true);
  });
});

function textOf(unit: string): string {
  return readFileSync(join(SOURCE, unit), "utf8");
}
