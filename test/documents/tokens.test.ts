// The functions of docs/apis.md that check access tokens, each run as it stands, over tokens that Gatehouse has issued and
// over those that somebody means harm by.

import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader, exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { newScene, type Scene } from "../apis/apis.ts";
import { issuer, RFC_TOKEN_PATH } from "../authorize/client.ts";
import { Visitor } from "../authorize/visitor.ts";
import { request } from "../entities/client.ts";
import { otherProcess, postAs } from "../oauth/client.ts";
import { ok } from "../policies/people.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blocksMarked, ROOT } from "./pages.ts";

const PATIENCE_MS = 120_000;

interface Case {
  says: string;
  token: string;
  /** undefined: it is refused. */
  sub?: string;
}

let scene: Scene;
let cases: Case[];
beforeAll(async () => {
  scene = await newScene();
  cases = await casesOf(scene);
}, PATIENCE_MS);

const blocks = blocksMarked("token").map((block) => [block.mark.replace("token: ", ""), block.text] as const);

test("there are functions to run", () => {
  expect(blocks.map(([library]) => library).toSorted()).toEqual(["jose", "jsonwebtoken"]);
});

test.each(blocks)(
  "%s takes the tokens for its API, and no other",
  async (_, code) => {
    const answers = await run(code);
    expect(cases.map(({ says }, index) => [says, answers[index]])).toEqual(cases.map(({ says, sub }) => [says, sub]));
  },
  PATIENCE_MS,
);

/** Answers the subject of each token that is good. */
async function run(code: string): Promise<(string | undefined)[]> {
  const folder = temporaryDirectory("tokens");
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const own = code
    .replaceAll("https://id.example.com", issuer())
    .replaceAll("https://orders.example.org", scene.orders.audience);
  writeFileSync(join(folder, "verify.mjs"), own);
  writeFileSync(
    join(folder, "main.mjs"),
    `import { readFileSync } from "node:fs";
import { verify } from "./verify.mjs";
for (const token of readFileSync(0, "utf8").split("\\n")) {
  console.log(await verify(token).then(({ sub }) => sub, () => "refused"));
}
`,
  );
  const program = Bun.spawn(["node", "main.mjs"], {
    cwd: folder,
    stdin: Buffer.from(cases.map(({ token }) => token).join("\n")),
    stderr: "inherit",
  });
  const printed = await new Response(program.stdout).text();
  expect(await program.exited).toBe(0);
  const lines = printed.trimEnd().split("\n");
  return lines.map((line) => (line === "refused" ? undefined : line));
}

async function casesOf({ admin, client, orders, stock }: Scene): Promise<Case[]> {
  const own = async (of: Scene, resource?: string) => {
    const form = { grant_type: "client_credentials", scope: "*", resource };
    return (await ok(postAs(of.client.tenant.client, RFC_TOKEN_PATH, form))).access_token as string;
  };
  const good = await own(scene, orders.audience);
  const fields = { resource: orders.audience, scope: "openid orders:read" };
  const ofUser = (await client.token(await client.code(new Visitor(), fields))).body;
  const set = (changes: object) => ok(admin.patch("/Api", { Id: orders.id, ...changes }));
  await set({ AccessTokenType: "JWT" });
  const plain = await own(scene, orders.audience);
  await set({ AccessTokenType: "at+jwt", AccessTokenAlg: "ES256" });
  const es256 = await own(scene, orders.audience);
  await set({ AccessTokenAlg: "RS256" });
  const stranger = await newScene();
  const sub = client.id;
  return [
    { says: "a client's", token: good, sub },
    { says: "a user's", token: ofUser.access_token, sub: decodeJwt(ofUser.access_token).sub! },
    { says: "of another type than the API has", token: plain },
    { says: "of another algorithm than the API has", token: es256 },
    { says: "for another API of the tenant", token: await own(scene, stock.audience) },
    { says: "for the entity API", token: await own(scene) },
    { says: "for an API of another tenant", token: await own(stranger, stranger.orders.audience) },
    { says: "an id_token", token: ofUser.id_token },
    ...(await forgeriesOf(good)),
  ];
}

/** Of a good token: by our own key, which only a fault of ours could sign so, and by what everybody has. */
async function forgeriesOf(good: string): Promise<Case[]> {
  const claims = decodeJwt(good);
  const header = decodeProtectedHeader(good) as { alg: string; kid: string };
  const { key } = await otherProcess(issuer()).keys.signingKey("RS256");
  const sign = (changes: JWTPayload, typ = "at+jwt") =>
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
