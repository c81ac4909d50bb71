// Runs the functions of docs/webhooks.md that verify signatures, unchanged, on calls of Gatehouse.

import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EventId } from "../../server/ids.ts";
import { generateSecret, standardWebhooksHeaders } from "../../server/webhooks/signature.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { idOf } from "../support/ids.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { blockMarked, blocksMarked } from "./pages.ts";

/** A compiler may need to build its whole library first. */
const PATIENCE_MS = 300_000;
const FIVE_MINUTES_MS = 300_000;

interface Case {
  says: string;
  secret: string;
  id: string;
  timestamp: string;
  signature: string;
  body: Buffer;
  xSignature: string;
  isGood: boolean;
}

const PLAIN_SECRET = "a plain secret, not base64 é";
let cases: Case[];

beforeAll(async () => {
  const made = [await receivedCall(generateSecret()), await receivedCall(PLAIN_SECRET)];
  cases = made.flatMap((call) => [call, ...variantsOf(call)]);
}, PATIENCE_MS);

test("every function of the page is tested", () => {
  const marks = blocksMarked("verify").map(({ mark }) => mark.replace("verify: ", ""));
  expect(marks.toSorted()).toEqual([...Object.keys(PROGRAMS), "shell", "x-signature"].toSorted());
});

/** A program around the function that answers one base64 case per line. */
const PROGRAMS: Record<string, { tool: string; files(code: string): Record<string, string>; commands: string[][] }> = {
  node: {
    tool: "node",
    files: (code) => ({
      "verify.mjs": code,
      "main.mjs": `import { readFileSync } from "node:fs";
import { isFromGatehouse } from "./verify.mjs";
for (const line of readFileSync(0, "utf8").trim().split("\\n")) {
  const [secret, id, timestamp, signature, body] = line.split("\\t").map((text) => Buffer.from(text, "base64"));
  const headers = { "webhook-id": String(id), "webhook-timestamp": String(timestamp), "webhook-signature": String(signature) };
  console.log(isFromGatehouse(String(secret), headers, body));
}
`,
    }),
    commands: [["node", "main.mjs"]],
  },
  python: {
    tool: "python3",
    files: (code) => ({
      "verify.py": code,
      "main.py": `import base64
import sys
from verify import is_from_gatehouse

for line in sys.stdin:
    secret, id, timestamp, signature, body = (base64.b64decode(text) for text in line.rstrip("\\n").split("\\t"))
    headers = {
        "webhook-id": id.decode(),
        "webhook-timestamp": timestamp.decode(),
        "webhook-signature": signature.decode(),
    }
    print(str(is_from_gatehouse(secret.decode(), headers, body)).lower())
`,
    }),
    commands: [["python3", "main.py"]],
  },
  go: {
    tool: "go",
    files: (code) => ({
      "go.mod": "module example\n\ngo 1.22\n",
      "receiver/verify.go": code,
      "main.go": `package main

import (
	"bufio"
	"encoding/base64"
	"example/receiver"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var fields []string
		for _, text := range strings.Split(lines.Text(), "\\t") {
			decoded, _ := base64.StdEncoding.DecodeString(text)
			fields = append(fields, string(decoded))
		}
		header := http.Header{}
		header.Set("webhook-id", fields[1])
		header.Set("webhook-timestamp", fields[2])
		header.Set("webhook-signature", fields[3])
		fmt.Println(receiver.IsFromGatehouse(fields[0], header, []byte(fields[4])))
	}
}
`,
    }),
    // With the options of the Temporal server's build, so the library is compiled once.
    commands: [["go", "run", "-trimpath", "."]],
  },
  java: {
    tool: "javac",
    files: (code) => ({
      "Gatehouse.java": code,
      "Main.java": `import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

public final class Main {
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] texts = line.split("\\t", -1);
      byte[][] fields = new byte[texts.length][];
      for (int i = 0; i < texts.length; i++) fields[i] = Base64.getDecoder().decode(texts[i]);
      Map<String, String> headers = Map.of(
          "webhook-id", new String(fields[1], StandardCharsets.UTF_8),
          "webhook-timestamp", new String(fields[2], StandardCharsets.UTF_8),
          "webhook-signature", new String(fields[3], StandardCharsets.UTF_8));
      System.out.println(
          Gatehouse.isFromGatehouse(new String(fields[0], StandardCharsets.UTF_8), headers, fields[4]));
    }
  }
}
`,
    }),
    commands: [
      ["javac", "-encoding", "UTF-8", "Gatehouse.java", "Main.java"],
      ["java", "-cp", ".", "Main"],
    ],
  },
};

describe.each(Object.entries(PROGRAMS).filter(([, { tool }]) => Bun.which(tool)))("%s", (language, program) => {
  test(
    "accepts what Gatehouse has sent, and nothing else",
    async () => {
      const folder = await folderWith(program.files(blockMarked(`verify: ${language}`).text));
      const input = cases
        .map(({ secret, id, timestamp, signature, body }) => [secret, id, timestamp, signature, body])
        .map((fields) => fields.map((field) => Buffer.from(field as string).toString("base64")).join("\t"));
      let printed = "";
      for (const command of program.commands) printed = await run(command, folder, `${input.join("\n")}\n`);
      const answers = printed.trim().split("\n");
      const told = cases.map(({ says }, index) => [says, answers[index]]);
      expect(told).toEqual(cases.map(({ says, isGood }) => [says, String(isGood)]));
    },
    PATIENCE_MS,
  );
});

test("shell: verifies the signature of a body in a file", async () => {
  const script = blockMarked("verify: shell").text;
  const folder = await folderWith({});
  // The shell script does not check the call's age.
  for (const { says, secret, id, timestamp, signature, body, isGood } of cases.filter(({ says }) => says !== "old")) {
    await writeFile(join(folder, "body.json"), body);
    const child = Bun.spawn(["sh", "-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        SECRET: secret,
        WEBHOOK_ID: id,
        WEBHOOK_TIMESTAMP: timestamp,
        WEBHOOK_SIGNATURE: signature,
      },
      stdout: "pipe",
      stderr: "inherit",
    });
    const printed = (await new Response(child.stdout).text()).trim();
    const verdict = isGood ? ["signature valid", 0] : ["signature WRONG", 1];
    expect([says, printed, await child.exited]).toEqual([says, ...verdict]);
  }
});

test("X-Signature: accepts what Gatehouse has sent, and nothing else", async () => {
  const folder = await folderWith({ "verify.mjs": blockMarked("verify: x-signature").text });
  const { isSignedWith } = await import(join(folder, "verify.mjs"));
  for (const { secret, body, xSignature } of cases.filter(({ says }) => says === "as sent")) {
    expect(isSignedWith(secret, body, xSignature)).toBe(true);
    expect(isSignedWith(`${secret}x`, body, xSignature)).toBe(false);
    expect(isSignedWith(secret, Buffer.concat([body, Buffer.from(" ")]), xSignature)).toBe(false);
    expect(isSignedWith(secret, body, xSignature.slice(1))).toBe(false);
  }
});

async function receivedCall(secret: string): Promise<Case> {
  await using receiver = startReceiver(200);
  const api = await newTenant();
  await api.connect(receiver.url, { Secret: secret });
  await api.change({ Name: "Payroll", Description: "Zoë 🚪" });
  await api.settledEvent();
  const [call] = receiver.calls;
  const header = (name: string) => call!.headers.get(name)!;
  return {
    ...{ says: "as sent", secret, body: call!.bytes, isGood: true },
    ...{ id: header("webhook-id"), timestamp: header("webhook-timestamp"), signature: header("webhook-signature") },
    xSignature: header("x-signature"),
  };
}

function variantsOf(call: Case): Case[] {
  const { secret, id, body, signature } = call;
  const other = generateSecret();
  const past = new Date(Date.now() - FIVE_MINUTES_MS - 60_000);
  const old = standardWebhooksHeaders({
    eventId: idOf<EventId>(id),
    timestamp: past,
    body: body.toString(),
    secrets: [secret],
  });
  const bad = (says: string, change: Partial<Case>): Case => ({ ...call, says, isGood: false, ...change });
  return [
    { ...call, says: "during a rotation", signature: `v1,${"A".repeat(43)}= ${signature}` },
    bad("another secret", { secret: other }),
    bad("another body", { body: Buffer.concat([body, Buffer.from(" ")]) }),
    bad("another id", { id: `${id}0` }),
    bad("another time", { timestamp: String(Number(call.timestamp) + 1) }),
    bad("no time", { timestamp: "" }),
    bad("a time that is none", { timestamp: "soon" }),
    bad("no signature", { signature: "" }),
    bad("half a signature", { signature: signature.slice(0, 20) }),
    bad("old", { timestamp: old["webhook-timestamp"], signature: old["webhook-signature"] }),
  ];
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
