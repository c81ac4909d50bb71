// Runs the tour of README.md in a fresh clone.

import { expect, test } from "bun:test";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { isTaken } from "../../server/appliance/embedded/ports.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blocksMarked, ROOT } from "../support/pages.ts";
import { until } from "../world/api.ts";
import { Visitor } from "../world/visitor.ts";

const RECEIVER_PORT = 8443;
const CALLBACK_PORT = 3001;
/** Other checkouts may run the tour on this machine. */
const PATIENCE_MS = 300_000;

interface Step {
  kind: "start" | "receiver" | "sign-in" | "call";
  script: string;
}

test("the tour works when pasted: a sign-in, a signed call, three failed attempts, and a manual redelivery", async () => {
  const clone = join(temporaryDirectory("tour"), "gatehouse");
  const running: Bun.Subprocess[] = [];
  try {
    await copyCheckout(clone);
    const steps = tour();
    expect(steps.map((step) => step.kind)).toEqual([
      "start",
      "receiver",
      "sign-in",
      "call",
      "call",
      "call",
      "receiver",
      "call",
      "receiver",
      "call",
    ]);

    const start = terminal(clone, steps[0]!);
    running.push(start.process);
    await start.shows("is ready after");
    await until(
      `port ${RECEIVER_PORT} to be free`,
      async () => !(await isTaken(RECEIVER_PORT, "127.0.0.1")),
      PATIENCE_MS,
    );
    const receiver = terminal(clone, steps[1]!);
    running.push(receiver.process);
    await receiver.shows("listening");

    await until(
      "the callback's port to be free",
      async () => !(await isTaken(CALLBACK_PORT, "127.0.0.1")),
      PATIENCE_MS,
    );
    const application = terminal(clone, steps[2]!);
    running.push(application.process);
    await application.shows("&state=");
    await signIn(clone, application.text());
    await application.shows("Signed in: ");
    expect(application.text()).toContain('"preferred_username":"admin"');
    expect(await application.process.exited).toBe(0);

    const calls = steps.filter((step) => step.kind === "call").map((step) => step.script);
    await paste(clone, [calls[0]!, calls[1]!]);
    await receiver.shows("signature valid");
    const links = calls[2]!;
    const { settings, password, workflow } = linksIn(await paste(clone, [calls[0]!, links]));
    const elsewhere = temporaryDirectory("data dir");
    await cp(join(clone, ".gatehouse", "demo.json"), join(elsewhere, "demo.json"));
    const named = await paste(temporaryDirectory("nothing"), [`DATA_DIR="${elsewhere}"`, calls[0]!, "echo $URL"]);
    expect(named.trim()).toBe(settings.origin);
    const visitor = new Visitor(settings.origin);
    const admin = { username: "admin", password };
    let page = await visitor.submit(await visitor.open(settings.pathname), admin);
    // The receiver prints before the attempt is recorded.
    await until("the delivery to be recorded", async () => {
      page = await visitor.open(settings.pathname);
      return page.html.includes("Delivered");
    });
    const link = `/settings/workflow?Id=${workflow.pathname.split("/").at(-1)}`;
    expect(page.html).toContain(link);
    expect(await visitor.open(link)).toMatchObject({ status: 303, location: workflow });
    await workflowIs("COMPLETED", workflow);

    await stop(receiver.process);
    const failing = terminal(clone, steps[6]!);
    running.push(failing.process);
    await failing.shows("listening");
    await paste(clone, [calls[0]!, calls[3]!]);
    const failed = linksIn(await paste(clone, [calls[0]!, links]));
    expect(failed.settings.href).not.toBe(settings.href);
    await until("the delivery to be given up", async () => {
      page = await visitor.open(failed.settings.pathname);
      // Then the page offers to send it again.
      return page.forms.some(({ action }) => action === failed.settings.pathname);
    });
    expect(page.html).toContain("Exhausted");
    expect(failing.text().match(/answered 500/g)).toHaveLength(3);
    expect(page.html.match(/>500</g)?.length).toBeGreaterThanOrEqual(3);
    await workflowIs("FAILED", failed.workflow);

    await stop(failing.process);
    const mended = terminal(clone, steps[8]!);
    running.push(mended.process);
    await mended.shows("listening");
    await paste(clone, [calls[0]!, links, calls[4]!]);
    await mended.shows("signature valid");
  } finally {
    for (const child of running.reverse()) await stop(child);
    await rm(join(clone, ".."), { recursive: true, force: true });
  }
});

/** The commands of the tour, in order; a comment before each block names its terminal. */
function tour(): Step[] {
  return blocksMarked("tour").map(({ mark, text }) => ({
    kind: mark.replace("tour: ", "") as Step["kind"],
    script: text,
  }));
}

/** The links that the tour prints for the newest event: its page in Settings, and its workflow in the Temporal UI. */
function linksIn(printed: string) {
  const [, settings, password] = /^(http\S+) {2}password: (\S+)$/m.exec(printed)!;
  const [workflow, ...more] = printed.match(/^http\S+\/workflows\/\S+$/gm)!;
  expect(more).toEqual([]);
  return { settings: new URL(settings!), password: password!, workflow: new URL(workflow!) };
}

/** From the Temporal UI's server. */
async function workflowIs(status: string, { origin, pathname }: URL): Promise<void> {
  expect((await fetch(origin + pathname)).status).toBe(200);
  await until(`the workflow to be ${status}`, async () => {
    const response = await fetch(`${origin}/api/v1${pathname}`);
    return (await response.text()).includes(`WORKFLOW_EXECUTION_STATUS_${status}`);
  });
}

/** In a browser: the application's printed address, the admin's password, and Allow. */
async function signIn(clone: string, printed: string): Promise<void> {
  const { publicUrl, admin } = await Bun.file(join(clone, ".gatehouse/demo.json")).json();
  const visitor = new Visitor(publicUrl);
  const consent = await visitor.submit(await visitor.open(/http\S+/.exec(printed)![0].replace(publicUrl, "")), admin);
  const back = await visitor.submit(consent, { decision: "allow" });
  expect(await (await fetch(back.location!)).text()).toContain("Signed in.");
}

async function copyCheckout(clone: string): Promise<void> {
  const files = (await $`git -C ${ROOT} ls-files --cached --others --exclude-standard`.text()).trim().split("\n");
  for (const file of files) {
    if (await Bun.file(join(ROOT, file)).exists()) await cp(join(ROOT, file), join(clone, file));
  }
}

function terminal(cwd: string, step: Step) {
  const child = Bun.spawn(["bash", "-c", `exec ${step.script.trim().replace(/^((?:\w+=\S+ )*)/, "env $1")}`], {
    cwd,
    env: plainEnvironment(),
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  let changed = () => {};
  void (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      changed();
    }
  })();
  return {
    process: child,
    text: () => text,
    async shows(words: string) {
      while (!text.includes(words)) {
        const next = new Promise<void>((resolve) => {
          changed = resolve;
        });
        await Promise.race([next, child.exited]);
        if (child.exitCode !== null && !text.includes(words)) throw new Error(`${step.script} ended:\n${text}`);
      }
    },
  };
}

/** A terminal keeps its variables, so each block is pasted after all earlier ones. */
async function paste(cwd: string, scripts: string[]): Promise<string> {
  const child = Bun.spawn(["bash", "-e", "-c", scripts.join("\n")], {
    cwd,
    env: plainEnvironment(),
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return text;
}

async function stop(child: Bun.Subprocess): Promise<void> {
  if (child.exitCode === null) child.kill("SIGTERM");
  await child.exited;
}

/** A newcomer's environment, without the settings of other tests. */
function plainEnvironment(): Record<string, string | undefined> {
  const settings =
    /^(GATEHOUSE_|WEBHOOK_|EGRESS_|TEMPORAL_|PORT$|HOST$|PUBLIC_URL$|DATABASE_URL$|MASTER_KEY$|DATA_DIR$|LOG_LEVEL$|LOG_FORMAT$|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.test(name)));
}
