// Whatever answers instead of Gatehouse, `bun run apply` and `bun run listen` send secrets to no other address, and say in
// a sentence what is wrong.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runApply } from "../../server/appliance/apply/command.ts";
import { certificate } from "../support/certificate.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { ROOT } from "../support/pages.ts";
import { KINDS } from "../world/apply.ts";

const SECRET = "secret-Zx81kQ";
const TOKEN = { access_token: "token-Zx82kQ", token_type: "Bearer", expires_in: 300 };
const client = { GATEHOUSE_CLIENT_ID: "1", GATEHOUSE_CLIENT_SECRET: SECRET };

type Handler = (request: Request) => Response | Promise<Response>;

/** The requests that it got are kept as text. */
function serve(handler: Handler, tls?: Bun.TLSOptions) {
  const got: string[] = [];
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls },
    async fetch(request) {
      got.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${await request.clone().text()}`);
      return handler(request);
    },
  });
  return { got, origin: server.url.origin, [Symbol.dispose]: () => void server.stop(true) };
}

const afterToken =
  (handler: Handler): Handler =>
  (request) =>
    request.url.endsWith("/oauth2/token") ? Response.json(TOKEN) : handler(request);

async function apply(url: string) {
  const file = join(temporaryDirectory("answers"), "acme.yaml");
  await Bun.write(file, "Department:\n  - Name: A\n");
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { say: (text: string) => void out.push(text), fail: (text: string) => void err.push(text) };
  const code = await runApply([file, "--yes"], KINDS, { env: { GATEHOUSE_URL: url, ...client }, ...terminal });
  const text = err.join("\n");
  // One sentence, and neither a stack nor an error of the language.
  expect(text).not.toMatch(/TypeError|SyntaxError|^\s+at /m);
  expect([out, text.split("\n").length, code]).toEqual([[], 1, 1]);
  expect(text).not.toContain("Zx8");
  return text;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const answering =
  (body: string, init?: ResponseInit): Handler =>
  () =>
    new Response(body, init);

test.concurrent.each(REDIRECTS)(
  "a redirect by %d is followed neither with the secret nor with the token",
  async (status) => {
    using elsewhere = serve(() => Response.json({}));
    const led: Handler = ({ url }) =>
      new Response("", { status, headers: { location: `${elsewhere.origin}${new URL(url).pathname}?a=b` } });
    const begin = `redirects to ${elsewhere.origin}/`;
    for (const handler of [led, afterToken(led)]) {
      using server = serve(handler);
      const text = await apply(server.origin);
      expect(text).toContain(`${server.origin}/`);
      expect(text).toContain(begin);
      expect(text).toContain("GATEHOUSE_URL must be the service's address");

      const listen = Bun.spawn([process.execPath, "examples/listen.ts", "--to", `${elsewhere.origin}/hook`], {
        ...{ cwd: ROOT, stdout: "ignore", stderr: "pipe" },
        env: { ...process.env, GATEHOUSE_URL: server.origin, ...client },
      });
      let said = "";
      for await (const part of listen.stderr.pipeThrough(new TextDecoderStream())) {
        said += part;
        if (said.includes("\n")) break;
      }
      listen.kill();
      await listen.exited;
      expect(said).toContain(begin);
    }
    expect(elsewhere.got).toEqual([]);
  },
);

test.concurrent.each<[string, Handler, string]>([
  ["a page", answering("<html>"), "answered 200 without a JSON object"],
  ["no content", answering("", { status: 204 }), "answered 204 without a JSON object"],
  ["a list as JSON", answering("[1]"), "answered 200 without a JSON object"],
  ["null", answering("null"), "answered 200 without a JSON object"],
  ["no token", answering("{}"), "answered without an access token"],
  ["a token that is no text", answering('{"access_token":{}}'), "answered without an access token"],
  ["a page with an error", answering("<html>", { status: 502, statusText: "Bad Gateway" }), "answered 502"],
  ["errors that are no texts", answering('{"Errors":[{}]}', { status: 400 }), "answered 400"],
  ["an empty list of errors", answering('{"Errors":[]}', { status: 500 }), "answered 500"],
  ["a redirect to nowhere", answering("", { status: 302 }), "answered 302 and redirects to no address"],
  ["a list without records", afterToken(answering("{}")), "The list of Department has no Items"],
  ["records of another kind", afterToken(answering('{"Items":[null]}')), "The list of Department has no Items"],
  ["no JSON later", afterToken(answering("<html>")), "answered 200 without a JSON object"],
  ["an error of the service later", afterToken(answering("", { status: 500 })), "answered 500"],
])("%s is reported in a sentence", async (_, handler, words) => {
  using server = serve(handler);
  expect(await apply(server.origin)).toContain(words);
});

test.concurrent("half an answer is reported in a sentence", async () => {
  const data = (socket: Bun.Socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data } });
  expect(await apply(`http://127.0.0.1:${server.port}`)).toContain(" cannot be reached: ");
});

test.concurrent("an address that cannot be reached, or proves no name, is reported in a sentence", async () => {
  using closed = serve(() => new Response());
  closed[Symbol.dispose]();
  expect(await apply(closed.origin)).toStartWith(`${closed.origin} cannot be reached: `);
  using unknown = serve(() => Response.json(TOKEN), { cert: certificate.cert, key: certificate.key });
  expect(await apply(unknown.origin)).toStartWith(`${unknown.origin} cannot be reached: `);
  expect(unknown.got).toEqual([]);
  expect(await apply("https://gatehouse.test")).toStartWith("https://gatehouse.test cannot be reached: ");
});

test.concurrent.each([
  ...["http://id.example", "http://10.0.0.1", "http://localhost.example", "http://127.0.0.1.example", "http://[::2]"],
  ...["ftp://127.0.0.1", "id.example", "file:///etc/passwd", "https://user:password@id.example"],
  ...["https://id.example?a=b", "https://id.example#a", "http://", " "],
])("a secret is not sent to %s", async (url) => {
  expect(await apply(url)).toBe("GATEHOUSE_URL must be an https address, or on this machine an http address.");
  if (url.startsWith("https:") || url === " ") return;
  const listen = Bun.spawnSync([process.execPath, "examples/listen.ts", "--to", "http://127.0.0.1:1/hook"], {
    cwd: ROOT,
    env: { ...process.env, GATEHOUSE_URL: url, ...client },
  });
  expect([listen.exitCode, String(listen.stderr)]).toEqual([1, expect.stringContaining("must be an https address")]);
});
