import { expect, test } from "bun:test";
import { join } from "node:path";
import { PASSWORD } from "../../dev/people.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { sendRaw } from "../support/raw.ts";
import { Visitor } from "../world/visitor.ts";
import { foreignHosts } from "./foreign-hosts.ts";
import { StartCommand } from "./start-command.ts";

test("`bun run dev --seed` lists accounts that sign in and find a week of deliveries", async () => {
  const command = [join(PROJECT_ROOT, "dev", "main.ts")];
  await using dev = new StartCommand(undefined, { PORT: "0" }, ["--seed"], command);
  await dev.prints("Accounts      http://");
  const [, accounts] = /^Accounts {6}(\S+)$/m.exec(dev.output)!;
  const page = await (await fetch(accounts!)).text();
  expect(page).toContain(`<td>ana<td>${PASSWORD}<td>Ana Silva, role editor`);
  const { port } = new URL(accounts!);
  for (const host of foreignHosts(port)) {
    const answer = await sendRaw(accounts!, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toStartWith("HTTP/1.1 421");
    expect(answer).not.toContain("admin");
  }
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(200);
  const [, settings] = /href="([^"]+)">Settings</.exec(page)!;
  const { origin, pathname, search } = new URL(settings!);
  const visitor = new Visitor(origin);
  const overview = await visitor.submit(await visitor.open(pathname + search), { username: "ben", password: PASSWORD });
  expect(overview.heading).toBe("Overview");
  expect((await visitor.open("/settings/activity")).html).toContain("Search index");
});

test("`bun run dev` names an unknown option", async () => {
  await using dev = new StartCommand(undefined, {}, ["--sed"], [join(PROJECT_ROOT, "dev", "main.ts")]);
  expect(await dev.ended()).toBe(2);
  expect(dev.output).toContain("Unknown option --sed. Usage: bun run dev [--seed]");
});
