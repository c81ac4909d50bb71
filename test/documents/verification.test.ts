// Runs the functions of docs/webhooks.md that verify signatures, unchanged, on calls of Gatehouse and on forged and odd
// ones. All languages answer the same, and none raises.

import { beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { generateSecret } from "../../server/webhooks/signature.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked, blocksMarked, PAGES, readPage } from "../support/pages.ts";
import { type Call, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

interface Case {
  says: string;
  secret: string;
  /** A name may be repeated, in any case. */
  headers: [name: string, value: string][];
  body: Buffer;
  isGood: boolean;
  /** The shell script takes one signature header as sent, and does not check the time. */
  isBeyondShell?: boolean;
}

const PLAIN_SECRET = "a plain secret, not base64 é";
let calls: { secret: string; call: Call }[];
let cases: Case[];

beforeAll(async () => {
  calls = await Promise.all([generateSecret(), PLAIN_SECRET].map(receivedCall));
  cases = calls.flatMap(({ secret, call }) => casesOf(secret, call));
});

test("every function of the page is tested", () => {
  const marks = blocksMarked("verify").map(({ mark }) => mark.replace("verify: ", ""));
  expect(marks.toSorted()).toEqual([...Object.keys(PROGRAMS), "shell", "x-signature"].toSorted());
});

interface Program {
  tool: string;
  /** The function's file. */
  file: string;
  /** The program around it, in the folder verification. */
  main: string;
  more?: Record<string, string>;
  commands: string[][];
}

const PROGRAMS: Record<string, Program> = {
  node: { tool: "node", file: "verify.mjs", main: "main.mjs", commands: [["node", "main.mjs"]] },
  python: { tool: "python3", file: "verify.py", main: "main.py", commands: [["python3", "main.py"]] },
  go: {
    tool: "go",
    file: "receiver/verify.go",
    main: "main.go",
    more: { "go.mod": "module example\n\ngo 1.22\n" },
    // With the options of the Temporal server's build, so the library is compiled once.
    commands: [["go", "run", "-trimpath", "."]],
  },
  java: {
    tool: "javac",
    file: "Gatehouse.java",
    main: "Main.java",
    commands: [
      ["javac", "-encoding", "UTF-8", "Gatehouse.java", "Main.java"],
      ["java", "-cp", ".", "Main"],
    ],
  },
  php: { tool: "php", file: "gatehouse.php", main: "main.php", commands: [["php", "main.php"]] },
  ruby: { tool: "ruby", file: "gatehouse.rb", main: "main.rb", commands: [["ruby", "main.rb"]] },
  csharp: {
    tool: "mcs",
    file: "Gatehouse.cs",
    main: "Program.cs",
    commands: [
      ["mcs", "-out:program.exe", "Gatehouse.cs", "Program.cs"],
      ["mono", "program.exe"],
    ],
  },
};

describe.each(Object.entries(PROGRAMS).filter(([, { tool }]) => Bun.which(tool)))("%s", (language, program) => {
  test("accepts what Gatehouse has sent, and nothing else", async () => {
    const { file, main, more, commands } = program;
    const code = blockMarked(`verify: ${language}`).text;
    const around = readFileSync(join(import.meta.dir, "verification", main), "utf8");
    const folder = await folderWith({ [file]: code, [main]: around, ...more });
    const input = cases.map(({ secret, body, headers }) =>
      [secret, body, ...headers.flat()].map((field) => Buffer.from(field as string).toString("base64")).join("\t"),
    );
    let printed = "";
    for (const command of commands) printed = await run(command, folder, `${input.join("\n")}\n`);
    const answers = printed.trimEnd().split("\n");
    const told = cases.map(({ says }, index) => [says, answers[index]]);
    expect(told).toEqual(cases.map(({ says, isGood }) => [says, String(isGood)]));
  });
});

test("shell: verifies the signature of a body in a file", async () => {
  const script = blockMarked("verify: shell").text;
  const folder = await folderWith({});
  for (const { says, secret, headers, body, isGood } of cases.filter(({ isBeyondShell }) => !isBeyondShell)) {
    const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
    await writeFile(join(folder, "body.json"), body);
    const child = Bun.spawn(["sh", "-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        SECRET: secret,
        WEBHOOK_ID: values.get("webhook-id") ?? "",
        WEBHOOK_TIMESTAMP: values.get("webhook-timestamp") ?? "",
        WEBHOOK_SIGNATURE: values.get("webhook-signature") ?? "",
      },
      stdout: "pipe",
      stderr: "ignore",
    });
    const printed = (await new Response(child.stdout).text()).trim();
    const verdict = isGood ? ["signature valid", 0] : ["signature WRONG", 1];
    expect([says, printed, await child.exited]).toEqual([says, ...verdict]);
  }
});

test("X-Signature: accepts what Gatehouse has sent, and nothing else", async () => {
  const folder = await folderWith({ "verify.mjs": blockMarked("verify: x-signature").text });
  const { isSignedWith } = await import(join(folder, "verify.mjs"));
  for (const { secret, call } of calls) {
    const { bytes, headers } = call;
    const signature = headers.get("x-signature")!;
    expect(isSignedWith(secret, bytes, signature)).toBe(true);
    expect(isSignedWith(`${secret}x`, bytes, signature)).toBe(false);
    expect(isSignedWith(secret, Buffer.concat([bytes, Buffer.from(" ")]), signature)).toBe(false);
    const wrong = [signature.slice(1), signature.toUpperCase(), ` ${signature}`, `${signature}\n`, `${signature}é`];
    for (const odd of [...wrong, "", "é", undefined, null, 1, [signature], {}]) {
      expect([odd, isSignedWith(secret, bytes, odd)]).toEqual([odd, false]);
    }
    const unkeyed = createHmac("sha256", "").update(bytes).digest("hex");
    for (const none of ["", undefined, null]) expect(isSignedWith(none, bytes, unkeyed)).toBe(false);
  }
});

describe("a secret made as the documents say", () => {
  const commands = PAGES.flatMap((path) => [...readPage(path).matchAll(/WEBHOOK_SECRET="(\$?[^\n]*)"$/gm)]);

  test("is accepted by the libraries of Standard Webhooks", async () => {
    expect(commands.length).toBeGreaterThan(1);
    for (const [, text] of commands) {
      const secret = (await run(["sh", "-c", `printf %s "${text}"`], temporaryDirectory("secret"), "")).trim();
      const { call } = await receivedCall(secret);
      expect(secret).toMatch(/^whsec_/);
      const { EventId } = call.payload;
      const headers = Object.fromEntries(call.headers);
      expect(new Webhook(secret).verify(call.bytes.toString(), headers)).toMatchObject({ EventId });
    }
  });

  test("and no page makes one in a different way", () => {
    const others = PAGES.flatMap((path) =>
      readPage(path)
        .split("\n")
        .map((line) => `${path}: ${line}`),
    )
      .filter((line) => line.includes("openssl rand"))
      .filter((line) => !/whsec_\$\(openssl rand -base64 32\)|MASTER_KEY|_PASSWORD=|METRICS_TOKEN/.test(line));
    expect(others).toEqual([]);
  });
});

async function receivedCall(secret: string): Promise<{ secret: string; call: Call }> {
  await using receiver = startReceiver(200);
  const api = await newTenant();
  await api.connect(receiver.url, { Secret: secret });
  await api.settledChange({ Name: "Payroll", Description: "Zoë 🚪" });
  return { secret, call: receiver.calls[0]! };
}

/** The call as sent, and others beside it. The signature of each is right, unless its name says what is wrong. */
function casesOf(secret: string, { bytes, headers }: Call): Case[] {
  const [id, sentAt, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headers.get(name)!,
  ) as [string, string, string];
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const mac = signature.slice(3);
  const forged = `v1,${"A".repeat(43)}=`;
  const macOf = (timestamp: string, body = bytes, by: Buffer | string = key) =>
    `v1,${createHmac("sha256", by).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  const named = (timestamp: string, ...signatures: string[]): Case["headers"] => [
    ["webhook-id", id],
    ["webhook-timestamp", timestamp],
    ...signatures.map((value) => ["webhook-signature", value] as [string, string]),
  ];
  const sent = named(sentAt, signature);
  const base = { secret, headers: sent, body: bytes };
  const good = (says: string, change: Partial<Case> = {}): Case => ({ ...base, says, isGood: true, ...change });
  const bad = (says: string, change: Partial<Case>): Case => ({ ...base, says, isGood: false, ...change });
  const withSignature = (value: string) => ({ headers: named(sentAt, value) });
  const at = (timestamp: string) => ({ headers: named(timestamp, macOf(timestamp)), isBeyondShell: true });
  const by = (other: string, itsKey: Buffer | string) => ({
    secret: other,
    headers: named(sentAt, macOf(sentAt, bytes, itsKey)),
  });
  const inWords = (change: (name: string) => string) => ({
    headers: sent.map(([name, value]) => [change(name), value] as [string, string]),
  });
  const withBody = (body: Buffer) => ({ body, headers: named(sentAt, macOf(sentAt, body)) });
  const now = Number(sentAt);

  return [
    good("as sent"),
    good(
      "names in capitals",
      inWords((name) => name.toUpperCase()),
    ),
    good(
      "names with capitals",
      inWords((name) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())),
    ),
    good("other headers beside them", { headers: [["Host", "h"], ["x-webhook-id", "1"], ...sent] }),
    good("the new secret's signature first", withSignature(`${forged} ${signature}`)),
    good("the new secret's signature last", withSignature(`${signature} ${forged}`)),
    good("signatures of other versions before", withSignature(`v1a,${forged.slice(3)} v2,${mac} ${signature}`)),
    good("a signature of another version after", withSignature(`${signature} v2,x`)),
    good("several spaces", withSignature(`${forged}   ${signature}`)),
    good("the header twice, the right one first", { headers: named(sentAt, signature, forged), isBeyondShell: true }),
    good("the header twice, the right one last", { headers: named(sentAt, forged, signature), isBeyondShell: true }),
    good("signatures joined by a proxy", {
      ...withSignature(`${forged}, ${signature}, ${forged}`),
      isBeyondShell: true,
    }),
    good("a body with CRLF", withBody(Buffer.from('{\r\n  "Data": {}\r\n}\r\n'))),
    good("a body that is not UTF-8", withBody(Buffer.from([0xff, 0, 0xc3, 0x28, 0x0a]))),
    good("a body that begins with a BOM", withBody(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]))),
    good("an empty body", withBody(Buffer.alloc(0))),
    good("four minutes old", at(String(now - 240))),
    good("four minutes ahead", at(String(now + 240))),

    bad("another secret", { secret: generateSecret() }),
    bad("another plain secret", { secret: "other" }),
    bad("another body", { body: Buffer.concat([bytes, Buffer.from(" ")]) }),
    bad("a body with a BOM", { body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) }),
    bad("another id", { headers: [["webhook-id", `${id}0`], ...sent.slice(1)] }),
    bad("another time", { headers: named(String(now + 1), signature) }),
    bad("no headers", { headers: [] }),
    ...sent.map(([name]) => bad(`no ${name}`, { headers: sent.filter(([other]) => other !== name) })),
    ...sent.map(([name]) =>
      bad(`empty ${name}`, { headers: sent.map(([other, value]) => [other, other === name ? "" : value]) }),
    ),
    bad("the id twice", { headers: [["webhook-id", id], ...sent], isBeyondShell: true }),
    bad("the time twice", { headers: [["webhook-timestamp", sentAt], ...sent], isBeyondShell: true }),
    ...[
      ...["v1,", "v1", ",", " ", "v1, v1,", `v2,${mac}`, mac, `V1,${mac}`, `v1 ${mac}`, `v1,${mac.slice(0, 20)}`],
      ...[`v1,${mac}=`, `v1,${mac.slice(0, -1)}`, `v1,${Buffer.from(mac, "base64").toString("hex")}`, `v1,é`, "²"],
      ...[
        `v1,${mac.replaceAll(/[a-z]/gi, "_")}`,
        "x".repeat(10_000),
        "v1,x ".repeat(500),
        `${forged} `,
        `-${signature}`,
      ],
    ].map((value) => bad(`the signature ${value.slice(0, 60)}`, withSignature(value))),

    bad("six minutes old", at(String(now - 360))),
    bad("six minutes ahead", at(String(now + 360))),
    ...[
      ...["soon", "0", "1", "-1", `-${sentAt}`, `+${sentAt}`, `${sentAt}.0`, `${sentAt}.5`, `0${sentAt}`, `${sentAt}0`],
      ...[
        `${now}e0`,
        `0x${now.toString(16)}`,
        `${sentAt.slice(0, 4)}_${sentAt.slice(4)}`,
        `${sentAt}s`,
        "NaN",
        "Infinity",
      ],
      ...[
        "9".repeat(18),
        "9".repeat(19),
        "9".repeat(400),
        "²",
        `${sentAt}²`,
        ` ${sentAt}`,
        `${sentAt}\n`,
        `${sentAt}\r\n`,
      ],
      ...[digitsFrom(sentAt, 0x660), digitsFrom(sentAt, 0xff10), new Date(now * 1_000).toISOString()],
    ].map((timestamp) => bad(`the time ${JSON.stringify(timestamp)}`, at(timestamp))),

    bad("an empty secret", by("", "")),
    bad("an empty secret, and no signature of its version", { secret: "", ...withSignature("v1,") }),
    bad("a secret that is only the prefix", by("whsec_", "")),
    ...["whsec_abc", "whsec_a", "whsec_!!!!", "whsec_é", "whsec_=", "whsec_YQ=", `whsec_${"A".repeat(43)}`].map(
      (other) => bad(`the secret ${other}`, by(other, other)),
    ),
  ];
}

/** The number in the decimal digits of a different script. */
function digitsFrom(text: string, zero: number): string {
  return text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = temporaryDirectory("verification");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  chmodSync(folder, 0o700);
  return folder;
}

async function run(command: string[], cwd: string, input: string): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod", GOWORK: "off" };
  const child = Bun.spawn(command, { cwd, env, stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" });
  const [printed, problems] = await Promise.all([child.stdout, child.stderr].map((pipe) => new Response(pipe).text()));
  expect([command, await child.exited, problems]).toEqual([command, 0, expect.any(String)]);
  return printed!;
}
