// Registration requests of MCP clients, which must work with the granted values.

import { describe, expect, test } from "bun:test";
import { answerOf, newPkce } from "../world/client.ts";
import { at, metadata, newRegistrar, PUBLIC, type Registrar, refused, register, send } from "../world/registrar.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const CODES = ["authorization_code", "refresh_token"];
const common = { grant_types: CODES, response_types: ["code"], token_endpoint_auth_method: "none" };

/** Their bodies, and the redirect URI that the program then uses. */
const PROGRAMS: Record<string, { sent: Record<string, unknown>; uses?: string }> = {
  "VS Code": {
    sent: {
      ...{ client_name: "Visual Studio Code", client_uri: "https://code.visualstudio.com" },
      ...{ grant_types: [...CODES, DEVICE], response_types: ["code"], token_endpoint_auth_method: "none" },
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://localhost/",
        "http://127.0.0.1/",
        "http://localhost:33418/",
        "http://127.0.0.1:33418/",
      ],
    },
    uses: "http://127.0.0.1:52413/",
  },
  Cursor: {
    sent: {
      ...{ ...common, client_name: "Cursor", client_uri: "https://cursor.com" },
      redirect_uris: ["cursor://anysphere.cursor-retrieval/oauth/user-gatehouse/callback"],
    },
  },
  "Cursor with an address of its pages": {
    sent: {
      ...{ ...common, client_name: "Cursor", application_type: "web" },
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
      ],
    },
  },
  Claude: {
    sent: {
      ...{ ...common, client_name: "Claude", scope: "claudeai" },
      ...{
        redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
        token_endpoint_auth_method: "client_secret_post",
      },
    },
  },
  "Claude Code": {
    sent: {
      ...{ ...common, client_name: "Claude Code (gatehouse)", application_type: "native" },
      redirect_uris: ["http://localhost:3118/callback"],
    },
    uses: "http://localhost:60123/callback",
  },
  "MCP Inspector": {
    sent: {
      ...{ ...common, client_name: "MCP Inspector", client_uri: "https://github.com/modelcontextprotocol/inspector" },
      ...{ redirect_uris: ["http://localhost:6274/oauth/callback", "http://localhost:6274/oauth/callback/debug"] },
    },
  },
  "mcp-remote": {
    sent: {
      ...{ ...common, client_name: "MCP CLI Proxy", client_uri: "https://github.com/modelcontextprotocol/mcp-cli" },
      ...{ redirect_uris: ["http://127.0.0.1:5598/oauth/callback"], scope: "openid email profile" },
      ...{ software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d", software_version: "0.1.16" },
    },
    uses: "http://127.0.0.1:17342/oauth/callback",
  },
  Codex: {
    sent: {
      ...{ ...common, client_name: "Codex", application_type: "native" },
      redirect_uris: ["http://127.0.0.1:37819/callback/9f2c"],
    },
  },
  OpenCode: {
    sent: {
      ...{ ...common, client_name: "OpenCode", client_uri: "https://opencode.ai" },
      redirect_uris: ["http://127.0.0.1:19876/mcp/oauth/callback"],
    },
  },
  Zed: {
    sent: { ...common, client_name: "Zed", redirect_uris: ["http://127.0.0.1:0/callback", "zed://mcp/oauth"] },
    uses: "http://127.0.0.1:41999/callback",
  },
  Goose: {
    sent: {
      ...{ client_name: "Goose", redirect_uris: ["http://localhost:41337/oauth_callback"], scope: "" },
      ...{ grant_types: CODES, token_endpoint_auth_method: "none", response_types: ["code"] },
    },
  },
  Windsurf: {
    sent: { ...common, client_name: "Windsurf", redirect_uris: ["windsurf://codeium.windsurf/oauth-callback"] },
  },
  "ChatGPT connectors": {
    sent: {
      ...{
        ...common,
        client_name: "ChatGPT",
        redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
      },
      grant_types: CODES,
    },
  },
  Postman: {
    sent: {
      ...common,
      client_name: "Postman",
      redirect_uris: ["https://oauth.pstmn.io/v1/callback", "postman://app/oauth2/callback"],
    },
  },
  LibreChat: {
    sent: {
      ...{ client_name: "LibreChat MCP Client", redirect_uris: ["https://chat.example/api/mcp/x/oauth/callback"] },
      ...{ grant_types: CODES, response_types: ["code"], token_endpoint_auth_method: "client_secret_basic" },
      ...{ logo_uri: null, tos_uri: null, policy_uri: null, contacts: [] },
    },
  },
  "Open WebUI": {
    sent: {
      ...{ client_name: "Open WebUI", redirect_uris: ["https://ai.example/oauth/clients/mcp:gatehouse/callback"] },
      ...{ grant_types: CODES, response_types: ["code"] },
    },
  },
  "a program that names what only other services have": {
    sent: {
      ...{
        client_name: "Many",
        redirect_uris: ["https://many.example/callback"],
        scope: "openid mcp:tools offline_access",
      },
      ...{ grant_types: [...CODES, "implicit", "password", "client_credentials"] },
      ...{ response_types: ["code", "token", "id_token code"], token_endpoint_auth_method: "client_secret_jwt" },
      ...{ id_token_encrypted_response_alg: "RSA-OAEP", default_max_age: 60 },
    },
  },
  "an app with a scheme of its own that asks for a secret": {
    sent: {
      client_name: "App",
      redirect_uris: ["com.example.app:/callback"],
      token_endpoint_auth_method: "client_secret_post",
    },
  },
  "an app that listens on IPv6": {
    sent: { ...common, client_name: "Six", redirect_uris: ["http://[::1]:7777/callback"] },
    uses: "http://[::1]:8888/callback",
  },
};

async function signIn(registrar: Registrar, clientId: string, redirectUri: string, scope: string) {
  const pkce = newPkce();
  const asked = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, scope, ...pkce.challenge };
  const visitor = new Visitor();
  const page = await visitor.open(`/oauth2/authorize?${new URLSearchParams(asked)}`);
  const { username, password } = registrar;
  const consent = await visitor.submit(page, { username, password });
  const { code } = answerOf(await visitor.submit(consent, { decision: "allow" }));
  return { code: code!, code_verifier: pkce.verifier };
}

describe("is registered with what it can have, learns that, and signs a person in:", () => {
  test.each(Object.keys(PROGRAMS))("%s", async (name) => {
    const { sent, uses } = PROGRAMS[name]!;
    const registrar = await newRegistrar("Open");
    const { status, body } = await register(registrar, sent);
    expect({ status, error: body.error_description }).toEqual({ status: 201, error: undefined });
    expect(body.redirect_uris).toEqual(sent.redirect_uris);
    expect(body.client_name).toBe(sent.client_name);
    for (const grant of body.grant_types) expect(CODES).toContain(grant);
    expect(body.grant_types).toContain("authorization_code");
    expect(body.response_types).toContain("code");
    expect(body.scope.split(" ")).toContain("openid");
    const [first] = sent.redirect_uris as string[];
    const redirect_uri = uses ?? first!;
    const code = await signIn(registrar, body.client_id, redirect_uri, body.scope);
    const { client_id, client_secret } = body;
    expect(client_secret === undefined).toBe(body.token_endpoint_auth_method === "none");
    const form = { grant_type: "authorization_code", client_id, redirect_uri, ...code };
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
    const isBasic = body.token_endpoint_auth_method === "client_secret_basic";
    const answer = await request("POST", "/oauth2/token", {
      headers: isBasic ? { authorization: `Basic ${basic}` } : {},
      body: new URLSearchParams({ ...form, ...(!isBasic && client_secret && { client_secret }) }),
    });
    expect({ status: answer.status, error: answer.body.error_description }).toEqual({ status: 200, error: undefined });
  });

  test("members that cannot be granted are not in the answer, and ineffective ones are named there", async () => {
    const registrar = await newRegistrar("Open");
    const many = PROGRAMS["a program that names what only other services have"]!.sent;
    const { body } = await register(registrar, many);
    expect(body).toMatchObject({
      grant_types: CODES,
      response_types: ["code", "code id_token"],
      token_endpoint_auth_method: "client_secret_basic",
      scope: "openid",
      ignored_metadata: ["id_token_encrypted_response_alg", "default_max_age"],
    });
    expect(body.id_token_encrypted_response_alg).toBeUndefined();
    const app = await register(registrar, PROGRAMS["an app with a scheme of its own that asks for a secret"]!.sent);
    expect(app.body).toMatchObject({ application_type: "native", token_endpoint_auth_method: "none" });
    const read = await send("GET", at(app), app.body.registration_access_token);
    expect(read.body.grant_types).toEqual(["authorization_code"]);
  });

  test("an unknown value of a member becomes the member's default", async () => {
    const registrar = await newRegistrar("Open");
    const words = {
      id_token_signed_response_alg: "HS256",
      userinfo_signed_response_alg: "none",
      introspection_signed_response_alg: "HS256",
      authorization_signed_response_alg: "PS256",
      subject_type: "everybody",
    };
    const { status, body } = await register(registrar, metadata({ ...PUBLIC, ...words }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id_token_signed_response_alg: "RS256",
      authorization_signed_response_alg: "RS256",
      subject_type: "public",
    });
    expect([body.userinfo_signed_response_alg, body.introspection_signed_response_alg]).toEqual([undefined, undefined]);
    for (const application_type of ["spa", "browser", "tv", "", null]) {
      const page = await register(registrar, metadata({ ...PUBLIC, application_type }));
      expect([page.status, page.body.application_type]).toEqual([201, "web"]);
      const app = { ...PUBLIC, application_type, redirect_uris: ["http://127.0.0.1/callback"] };
      expect((await register(registrar, metadata(app))).body.application_type).toBe("native");
    }
  });

  test("it is limited to its registered response types", async () => {
    const registrar = await newRegistrar("Open");
    const { body } = await register(registrar, metadata({ ...PUBLIC, response_types: ["code"] }));
    expect(body.response_types).toEqual(["code"]);
    const hybrid = await register(registrar, metadata({ ...PUBLIC, response_types: ["id_token code"] }));
    expect(hybrid.body.response_types).toEqual(["code id_token"]);
    expect((await register(registrar, metadata(PUBLIC))).body.response_types).toEqual(["code"]);
  });
});

describe("an app's URI scheme is rejected if browsers or operating systems use it:", () => {
  const uris = [
    "javascript:alert(1)",
    "javascript://x/%0aalert(1)",
    "JavaScript://x/%0aalert(1)",
    "vbscript://x/",
    "data:text/html,x",
    "data://text/html,x",
    "file:///etc/passwd",
    "file://host/share",
    "blob:https://app.example/x",
    "filesystem:https://app.example/x",
    "view-source://app.example/",
    "about://blank",
    "about:blank",
    "intent://scan/#Intent;end",
    "ws://app.example/",
    "wss://app.example/",
    "ftp://app.example/",
    "mailto:a@app.example",
    "tel:123",
    "sms://123",
    "ms-msdt://x",
    "search-ms://x",
    "ms-officecmd://x",
    "chrome://settings",
    "chrome-extension://abc/x",
    "moz-extension://abc/x",
    "web+app://x",
    "urn:ietf:wg:oauth:2.0:oob",
    "ssh://host/",
    "smb://host/share",
    "ldap://host/",
    "app:callback",
    "app:/callback",
    "app://",
    "app:///callback",
    "app://host/#fragment",
    "app://user@host/",
    "app://*/",
  ];
  test.each(uris)("%s", async (uri) => {
    const registrar = await newRegistrar("Open");
    for (const application_type of ["native", "web", undefined]) {
      const sent = metadata({ ...PUBLIC, application_type, redirect_uris: [uri] });
      refused(await register(registrar, sent), "invalid_redirect_uri");
      const among = { ...sent, redirect_uris: ["http://127.0.0.1/callback", uri] };
      refused(await register(registrar, among), "invalid_redirect_uri");
    }
  });
});
