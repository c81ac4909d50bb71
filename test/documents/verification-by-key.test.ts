// Runs the functions of docs/webhooks.md that verify calls by our keys, unchanged, on calls of Gatehouse and on forged
// ones. All languages answer the same, and none raises.

import { beforeAll, describe, expect, test } from "bun:test";
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked, blocksMarked } from "../support/pages.ts";
import { type Call, startReceiver } from "../world/receiver.ts";
import { newTenant, shared } from "../world/tenant.ts";

interface Case {
  says: string;
  tenantId: string;
  address: string;
  headers: [name: string, value: string][];
  body: Buffer;
  isGood: boolean;
}

interface Program {
  tool: string;
  files: Record<string, string>;
  /** The function's file. */
  file: string;
  command: string[];
}

const READ = {
  node: `import { readFileSync } from "node:fs";
import { isSignedByGatehouse } from "./verify.mjs";
const [jwks, ...cases] = readFileSync(0, "utf8").trimEnd().split("\\n").map((line) => JSON.parse(line));
for (const { tenantId, address, headers, body } of cases) {
  const bytes = Buffer.from(body, "base64");
  const forms = [headers, Object.fromEntries(headers)];
  try { forms.push(new Headers(headers)); } catch {}
  const all = forms.map((one) => isSignedByGatehouse(jwks, tenantId, address, one, bytes));
  console.log([...new Set(all)].join());
}
for (const odd of [undefined, null, 1, "x", {}, []]) {
  const all = [[odd, "t", "a", {}, ""], [jwks, "t", "a", odd, ""], [jwks, "t", "a", {}, odd]];
  if (all.some((call) => isSignedByGatehouse(...call) !== false)) throw new Error(String(odd));
}
`,
  python: `import base64, json, sys
from verify import is_signed_by_gatehouse
jwks, *cases = map(json.loads, sys.stdin)
for one in cases:
    body = base64.b64decode(one["body"])
    print(str(is_signed_by_gatehouse(jwks, one["tenantId"], one["address"], dict(one["headers"]), body)).lower())
for odd in (None, 1, "x", [], {}):
    for call in ((odd, "t", "a", {}, b""), (jwks, "t", "a", odd, b""), (jwks, "t", "a", {}, odd)):
        assert is_signed_by_gatehouse(*call) is False
`,
  go: `package main
import ("bufio"; "encoding/base64"; "encoding/json"; "example/receiver"; "fmt"; "net/http"; "os")
func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	var jwks struct{ Keys []receiver.Key }
	lines.Scan()
	json.Unmarshal(lines.Bytes(), &jwks)
	for lines.Scan() {
		var one struct{ TenantId, Address, Body string; Headers [][2]string }
		json.Unmarshal(lines.Bytes(), &one)
		header := http.Header{}
		for _, pair := range one.Headers { header.Add(pair[0], pair[1]) }
		body, _ := base64.StdEncoding.DecodeString(one.Body)
		fmt.Println(receiver.IsSignedByGatehouse(jwks.Keys, one.TenantId, one.Address, header, body))
	}
	if receiver.IsSignedByGatehouse(nil, "", "", nil, nil) { os.Exit(1) }
}
`,
  ruby: `require_relative "gatehouse"
jwks, *cases = $stdin.each_line.map { |line| JSON.parse(line) }
cases.each do |one|
  body = one["body"].unpack1("m0")
  rack = one["headers"].to_h { |name, value| ["HTTP_#{name.upcase.tr("-", "_")}", value] }
  puts [one["headers"].to_h, rack].map { |headers|
    signed_by_gatehouse?(jwks, one["tenantId"], one["address"], headers, body)
  }.uniq.join(",")
end
`,
  php: `<?php
require __DIR__ . '/verify.php';
set_error_handler(function ($number, $text) { throw new ErrorException($text); });
$jwks = json_decode(fgets(STDIN), true);
while (($line = fgets(STDIN)) !== false) {
    $one = json_decode($line, true);
    $plain = $server = [];
    foreach ($one['headers'] as [$name, $value]) {
        $plain[$name] = $value;
        $server['HTTP_' . strtr(strtoupper($name), '-', '_')] = $value;
    }
    $answers = array_map(fn ($headers) => json_encode(is_signed_by_gatehouse(
        $jwks, $one['tenantId'], $one['address'], $headers, base64_decode($one['body']))), [$plain, $server]);
    echo implode(',', array_unique($answers)), "\\n";
}
foreach ([[], ['keys' => []], ['keys' => [[]]]] as $odd) if (is_signed_by_gatehouse($odd, '', '', [], '')) exit(1);
`,
  java: `import java.nio.file.*;
import java.util.*;
class Main {
  public static void main(String[] all) throws Exception {
    List<String> lines = Files.readAllLines(Path.of("cases.txt"));
    String jwks = lines.get(0);
    for (String line : lines.subList(1, lines.size())) {
      String[] one = line.split("\t", -1);
      Map<String, String> plain = new HashMap<>();
      Map<String, List<String>> lists = new HashMap<>();
      for (int at = 3; at < one.length; at += 2) {
        plain.put(one[at], one[at + 1]);
        lists.put(one[at], List.of(one[at + 1]));
      }
      Set<Boolean> answers = new HashSet<>();
      for (Map<String, ?> headers : List.of(plain, lists))
        answers.add(Gatehouse.isSignedByGatehouse(jwks, one[0], one[1], headers, Base64.getDecoder().decode(one[2])));
      System.out.println(answers.size() == 1 ? answers.iterator().next() : "differs");
    }
    for (String odd : new String[] {null, "", "{}"})
      if (Gatehouse.isSignedByGatehouse(odd, null, null, Map.of(), null)) System.exit(1);
  }
}
`,
  csharp: `using System;
using System.IO;
using System.Linq;
static class Program {
  static int Main() {
    var lines = File.ReadAllLines("cases.txt");
    foreach (var line in lines.Skip(1)) {
      var one = line.Split('\t');
      Func<string, string> header = name => {
        var at = Array.FindIndex(one, 3, part => part.Equals(name, StringComparison.OrdinalIgnoreCase));
        return at < 0 ? null : one[at + 1];
      };
      Console.WriteLine(
        Gatehouse.IsSignedByGatehouse(lines[0], one[0], one[1], header, Convert.FromBase64String(one[2])) ? "true" : "false");
    }
    return new[] { "", "{}" }.Any(odd => Gatehouse.IsSignedByGatehouse(odd, null, null, name => null, null)) ? 1 : 0;
  }
}
`,
  shell: `IFS= read -r first <cases.txt
printf %s "$first" >jwks.json
tail -n +2 cases.txt | while IFS= read -r line; do
  part() { printf %s "$line" | cut -f "$1"; }
  export TENANT_ID="$(part 1)" ADDRESS="$(part 2)" AUTHORIZATION="$(part 5)"
  part 3 | openssl base64 -d -A >body.json
  if sh verify.sh >answer.txt 2>&1; then echo true; else grep -qx "signature WRONG" answer.txt && echo false; fi
done
`,
};

const PROGRAMS: Record<string, Program> = {
  php: { tool: "php", file: "verify.php", files: { "main.php": READ.php }, command: ["php", "main.php"] },
  node: { tool: "node", file: "verify.mjs", files: { "main.mjs": READ.node }, command: ["node", "main.mjs"] },
  python: { tool: "python3", file: "verify.py", files: { "main.py": READ.python }, command: ["python3", "main.py"] },
  go: {
    tool: "go",
    file: "receiver/verify.go",
    files: { "main.go": READ.go, "go.mod": "module example\n\ngo 1.22\n" },
    command: ["go", "run", "-trimpath", "."],
  },
  ruby: { tool: "ruby", file: "gatehouse.rb", files: { "main.rb": READ.ruby }, command: ["ruby", "main.rb"] },
  java: {
    tool: "javac",
    file: "Gatehouse.java",
    files: { "Main.java": READ.java },
    command: ["sh", "-c", "javac *.java && java Main"],
  },
  csharp: {
    tool: "mcs",
    file: "Gatehouse.cs",
    files: { "Main.cs": READ.csharp },
    command: ["sh", "-c", "mcs -out:main.exe *.cs && mono main.exe"],
  },
  shell: { tool: "jq", file: "verify.sh", files: { "main.sh": READ.shell }, command: ["sh", "main.sh"] },
};

const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
let jwks: { keys: object[] };
let cases: Case[];

beforeAll(async () => {
  await using receiver = startReceiver();
  const api = await newTenant();
  await api.connect(`${receiver.url}?a=1`, { SignByKey: true });
  await api.settledChange({ Name: "Payroll", Description: "Zoë 🚪" });
  const published = await (await fetch(`${shared().url}/.well-known/jwks.json`)).json();
  jwks = { keys: [...published.keys, { ...own.publicKey.export({ format: "jwk" }), kid: "own" }] };
  cases = casesOf(receiver.calls[0]!, receiver.url);
});

test("every function of the page is tested", () => {
  const marks = blocksMarked("by-key").map(({ mark }) => mark.replace("by-key: ", ""));
  expect(marks.toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
});

test("a call has the claims that the page lists, for five minutes", async () => {
  const { headers } = cases[0]!;
  const token = headers.find(([name]) => name === "authorization")![1].slice("Bearer ".length);
  const [head, claims] = token.split(".").slice(0, 2).map(decoded);
  expect(head).toEqual({ alg: "RS256", typ: "webhook+jwt", kid: expect.any(String) });
  expect(Object.keys(claims!).toSorted()).toEqual(
    ["iss", "sub", "aud", "htu", "htm", "iat", "exp", "jti", "body_sha256"].toSorted(),
  );
  expect(claims!.iss).toBe((await (await fetch(`${shared().url}/.well-known/openid-configuration`)).json()).issuer);
  expect(Number(claims!.exp) - Number(claims!.iat)).toBe(300);
});

describe.each(Object.entries(PROGRAMS).filter(([, { tool }]) => Bun.which(tool)))("%s", (language, program) => {
  test("accepts what Gatehouse has sent, and nothing else", async () => {
    const folder = temporaryDirectory("by-key");
    const files = {
      ...program.files,
      [program.file]: blockMarked(`by-key: ${language}`).text,
      "cases.txt": [JSON.stringify(jwks), ...cases.map(inTabs)].map((line) => `${line}\n`).join(""),
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, ".."), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const lines = [jwks, ...cases.map((one) => ({ ...one, body: one.body.toString("base64") }))];
    const stdin = new Blob([`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`]);
    const env = { ...process.env, CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod", GOWORK: "off" };
    const child = Bun.spawn(program.command, { cwd: folder, env, stdin, stdout: "pipe", stderr: "pipe" });
    const [printed, problems] = await Promise.all([child.stdout, child.stderr].map((one) => new Response(one).text()));
    expect([await child.exited, problems]).toEqual([0, expect.any(String)]);
    const answers = printed!.trimEnd().split("\n");
    const told = cases.map(({ says }, index) => [says, answers[index]]);
    expect(told).toEqual(cases.map(({ says, isGood }) => [says, String(isGood)]));
  });
});

/** For languages without JSON. */
const inTabs = ({ tenantId, address, body, headers }: Case) =>
  [
    tenantId,
    address,
    body.toString("base64"),
    ...headers.filter(([name]) => /^authorization$/i.test(name)).flat(),
  ].join("\t");

const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** The call as sent, and others, signed by a key of the set unless the name says what is wrong. */
function casesOf({ bytes, headers, payload }: Call, address: string): Case[] {
  const { TenantId: tenantId } = payload;
  const base = { tenantId, address, body: bytes, headers: [...headers] as Case["headers"] };
  const now = Math.floor(Date.now() / 1_000);
  const digest = createHash("sha256").update(bytes).digest("base64url");
  const right = {
    sub: tenantId,
    aud: address,
    htu: address,
    htm: "POST",
    iat: now,
    exp: now + 300,
    body_sha256: digest,
  };
  const header = { alg: "RS256", typ: "webhook+jwt", kid: "own" };
  const token = (claims: object, head: object = header, key: KeyObject = own.privateKey) => {
    const signed = `${encoded(head)}.${encoded(claims)}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`;
  };
  const with_ = (value: string): Partial<Case> => ({ headers: [["Authorization", value]] });
  const bearer = (value: string) => with_(`Bearer ${value}`);
  const good = (says: string, change: Partial<Case> = {}): Case => ({ ...base, says, isGood: true, ...change });
  const bad = (says: string, change: Partial<Case>): Case => ({ ...base, says, isGood: false, ...change });
  const own_ = token(right);
  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const [head, claims, signature] = own_.split(".");
  const hmac = `${encoded({ ...header, alg: "HS256" })}.${claims}`;
  const pem = own.publicKey.export({ format: "pem", type: "spki" });
  return [
    good("as sent"),
    good("signed by another key of the set", bearer(own_)),
    good("the name in capitals", { headers: [["AUTHORIZATION", `Bearer ${own_}`]] }),
    bad("another body", { body: Buffer.concat([bytes, Buffer.from(" ")]) }),
    bad("a body with a BOM", { body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) }),
    bad("an empty body", { body: Buffer.alloc(0) }),
    bad("another tenant", { tenantId: "0198a6f2-8c1e-7c4b-9d3f-2f6f0f4c7a11" }),
    bad("another address", { address: `${address}/other` }),
    bad("no header", { headers: [] }),
    ...["", "Bearer", "Bearer ", "Basic x", own_, `bearer${own_}`, "Bearer ²", "Bearer a.b.c"].map((value) =>
      bad(`the header ${value.slice(0, 20)}`, with_(value)),
    ),
    bad("two tokens", with_(`Bearer ${own_} Bearer ${own_}`)),
    bad("without a signature", bearer(`${head}.${claims}.`)),
    bad("a signature of other claims", bearer(`${head}.${encoded({ ...right, iat: now - 1 })}.${signature}`)),
    bad("a stranger's key", bearer(token(right, header, stranger))),
    bad("an unknown kid", bearer(token(right, { ...header, kid: "none" }))),
    bad("no kid", bearer(token(right, { alg: "RS256", typ: "webhook+jwt" }))),
    bad("another typ", bearer(token(right, { ...header, typ: "at+jwt" }))),
    bad("no typ", bearer(token(right, { alg: "RS256", kid: "own" }))),
    bad("alg none", bearer(`${encoded({ ...header, alg: "none" })}.${claims}.${signature}`)),
    bad("the public key as a secret", bearer(`${hmac}.${createHmac("sha256", pem).update(hmac).digest("base64url")}`)),
    bad("expired", bearer(token({ ...right, iat: now - 400, exp: now - 100 }))),
    bad("from the future", bearer(token({ ...right, iat: now + 300, exp: now + 600 }))),
    ...["²", null, {}, [now + 300]].map((exp) => bad(`exp ${JSON.stringify(exp)}`, bearer(token({ ...right, exp })))),
    ...Object.entries({
      sub: "x",
      aud: "https://other.example/",
      htu: "https://other.example/",
      htm: "GET",
      body_sha256: "",
    }).map(([name, value]) => bad(`another ${name}`, bearer(token({ ...right, [name]: value })))),
    ...Object.keys(right).map((name) => bad(`no ${name}`, bearer(token({ ...right, [name]: undefined })))),
  ];
}
