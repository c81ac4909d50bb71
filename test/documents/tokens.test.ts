// Runs the functions of docs/apis.md that check access tokens, with tokens of Gatehouse and with forged ones.

import { beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { decodeJwt, decodeProtectedHeader, exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { temporaryDirectory } from "../support/directories.ts";
import { javaPackages, printedBy, pythonPackages } from "../support/packages.ts";
import { blocksMarked, ROOT } from "../support/pages.ts";
import { ok } from "../world/api.ts";
import { newScene, type Scene } from "../world/apis.ts";
import { issuer, RFC_TOKEN_PATH } from "../world/client.ts";
import { otherProcess, postAs } from "../world/grants.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const TYPES = ["at+jwt", "JWT"];

interface Case {
  says: string;
  token: string;
  /** undefined: the token is rejected. */
  sub?: string;
}

/** By the tokens' type. */
const cases = new Map<string, Case[]>();
let audiences: Map<string, string>;
beforeAll(async () => {
  const scenes = await Promise.all(TYPES.map(async (type) => [type, await newScene()] as const));
  for (const [type, scene] of scenes) cases.set(type, await casesOf(scene, type));
  audiences = new Map(scenes.map(([type, { orders }]) => [type, orders.audience]));
});

const blocks = blocksMarked("token").map(({ mark, language, text }) => {
  const [library, type = "at+jwt"] = mark.replace("token: ", "").split(", ");
  return { library: library!, type, language, text };
});

test("every function of the page is tested", () => {
  const found = blocks.map(({ library, language }) => `${language}: ${library}`);
  expect(found.toSorted()).toEqual([
    ...["go: go-oidc", "java: Spring", "java: Spring", "js: jose", "js: jsonwebtoken"],
    ...["python: Authlib", "python: PyJWT", "python: python-jose"],
  ]);
});

interface Program {
  tools: string[];
  /** The function, and a program that calls it: for each line it prints a token's subject, or "refused". */
  files: Record<string, string>;
  file: string;
  /** Called in the folder of the files. @returns the command that runs it */
  prepare(folder: string): Promise<string[]>;
  env?(): Promise<Record<string, string>>;
}

const PROGRAMS: Record<string, Program> = {
  js: {
    tools: ["node"],
    file: "verify.mjs",
    files: {
      "main.mjs": `import { readFileSync } from "node:fs";
import { verify } from "./verify.mjs";
for (const token of readFileSync(0, "utf8").split("\\n")) {
  console.log(await verify(token).then(({ sub }) => sub, () => "refused"));
}
`,
    },
    async prepare(folder) {
      symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
      return ["node", "main.mjs"];
    },
  },
  python: {
    tools: ["python3"],
    file: "verify.py",
    files: {
      "main.py": `import sys
from verify import verify

for token in sys.stdin:
    try:
        print(verify(token.strip())["sub"])
    except Exception:
        print("refused")
`,
    },
    prepare: async () => ["python3", "main.py"],
    env: async () => ({ PYTHONPATH: await pythonPackages() }),
  },
  go: {
    tools: ["go"],
    file: "orders/orders.go",
    files: {
      "main.go": `package main

import (
	"bufio"
	"context"
	"example/orders"
	"fmt"
	"log"
	"os"
)

func main() {
	ctx := context.Background()
	verifier, err := orders.NewVerifier(ctx)
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if token, err := orders.Verify(ctx, verifier, lines.Text()); err != nil {
			fmt.Println("refused")
		} else {
			fmt.Println(token.Subject)
		}
	}
}
`,
    },
    async prepare(folder) {
      for (const name of ["go.mod", "go.sum"]) cpSync(join(ROOT, "examples/clients", name), join(folder, name));
      return ["go", "run", "-trimpath", "."];
    },
    env: async () => ({ CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", GOWORK: "off" }),
  },
  java: {
    tools: ["javac", "mvn"],
    file: "Orders.java",
    files: {
      "Main.java": `import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;

public final class Main {
  public static void main(String[] arguments) throws Exception {
    JwtDecoder decoder = Orders.jwtDecoder();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        System.out.println(decoder.decode(line).getSubject());
      } catch (JwtException refused) {
        System.out.println("refused");
      }
    }
  }
}
`,
    },
    async prepare(folder) {
      const classes = await javaPackages();
      await printedBy(["javac", "-encoding", "UTF-8", "-cp", classes, "Orders.java", "Main.java"], folder);
      return ["java", "-cp", `${classes}:.`, "Main"];
    },
  },
};

/** The toolchains on this machine; CI has all. */
const here = blocks.filter(
  ({ language }) => process.env.CI === "true" || PROGRAMS[language]!.tools.every((tool) => Bun.which(tool)),
);

test.each(here)(
  "$library accepts tokens of type $type for its API, and no others",
  async ({ language, type, text }) => {
    const answers = await run(PROGRAMS[language]!, type, text);
    const all = cases.get(type)!;
    expect(all.map(({ says }, index) => [says, answers[index]])).toEqual(all.map(({ says, sub }) => [says, sub]));
  },
);

/** @returns the subject of each valid token */
async function run({ file, files, prepare, env }: Program, type: string, code: string) {
  const folder = temporaryDirectory("tokens");
  const own = code
    .replaceAll("https://id.example.com", issuer())
    .replaceAll("https://orders.example.org", audiences.get(type)!);
  for (const [name, text] of Object.entries({ ...files, [file]: own })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const command = await prepare(folder);
  const input = cases
    .get(type)!
    .map(({ token }) => token)
    .join("\n");
  const printed = await printedBy(command, folder, { input, env: await env?.() });
  const lines = printed.trimEnd().split("\n");
  return lines.map((line) => (line === "refused" ? undefined : line));
}

async function casesOf(scene: Scene, type: string): Promise<Case[]> {
  const { admin, client, orders, stock } = scene;
  const own = async (of: Scene, resource?: string) => {
    const form = { grant_type: "client_credentials", scope: "*", resource };
    return (await ok(postAs(of.client.tenant.client, RFC_TOKEN_PATH, form))).access_token as string;
  };
  const set = (changes: object) => ok(admin.patch("/Api", { Id: orders.id, ...changes }));
  await set({ AccessTokenType: type });
  const good = await own(scene, orders.audience);
  const fields = { resource: orders.audience, scope: "openid orders:read" };
  const ofUser = (await client.token(await client.code(new Visitor(), fields))).body;
  await set({ AccessTokenType: TYPES.find((one) => one !== type) });
  const ofOtherType = await own(scene, orders.audience);
  await set({ AccessTokenType: type, AccessTokenAlg: "ES256" });
  const es256 = await own(scene, orders.audience);
  await set({ AccessTokenAlg: "RS256" });
  const stranger = await newScene();
  const sub = client.id;
  return [
    { says: "a client's", token: good, sub },
    { says: "a user's", token: ofUser.access_token, sub: decodeJwt(ofUser.access_token).sub! },
    { says: "of another type than the API has", token: ofOtherType },
    { says: "of another algorithm than the API has", token: es256 },
    { says: "for another API of the tenant", token: await own(scene, stock.audience) },
    { says: "for the entity API", token: await own(scene) },
    { says: "for an API of another tenant", token: await own(stranger, stranger.orders.audience) },
    { says: "an id_token", token: ofUser.id_token },
    ...(await forgeriesOf(good)),
  ];
}

/** Forged variants of a valid token: signed with our own key, as only a bug could, and from public information. */
async function forgeriesOf(good: string): Promise<Case[]> {
  const claims = decodeJwt(good);
  const header = decodeProtectedHeader(good) as { alg: string; kid: string; typ: string };
  const { key } = await otherProcess(issuer()).keys.signingKey("RS256");
  const sign = (changes: JWTPayload, typ = header.typ) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, typ }).sign(key);
  const now = Math.floor(Date.now() / 1000);
  const { keys } = (await request("GET", "/.well-known/jwks.json")).body;
  const published = keys.find(({ kid }: { kid: string }) => kid === header.kid);
  const pem = await exportSPKI((await importJWK(published, "RS256")) as CryptoKey);
  const hmac = new SignJWT(claims).setProtectedHeader({ ...header, alg: "HS256" }).sign(Buffer.from(pem));
  const [head, , signature] = good.split(".");
  const changed = Buffer.from(JSON.stringify({ ...claims, scope: "orders:write" })).toString("base64url");
  return [
    { says: "signed anew, and so good", token: await sign({}), sub: claims.sub! },
    { says: "a refresh token for the same audience", token: await sign({}, "rt+jwt") },
    { says: "expired", token: await sign({ iat: now - 7200, exp: now - 3600 }) },
    { says: "of another issuer", token: await sign({ iss: "https://id.example.net" }) },
    { says: "for another audience", token: await sign({ aud: `${claims.aud}/` }) },
    { says: "signed by the public key as a secret", token: await hmac },
    { says: "signed by nobody", token: new UnsecuredJWT(claims).encode() },
    { says: "with other claims", token: `${head}.${changed}.${signature}` },
    { says: "no token at all", token: "x" },
  ];
}
