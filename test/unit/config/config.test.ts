import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ConfigError, hostProblems, readConfig, samePortProblems } from "../../../server/platform/config/config.ts";
import { parseDuration } from "../../../server/platform/config/values.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
}

test("an empty environment gives the documented defaults", () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    portAsked: false,
    host: "127.0.0.1",
    publicUrl: "http://localhost:3000",
    databaseUrl: undefined,
    masterKey: undefined,
    masterKeyPrevious: [],
    temporal: { outside: false, namespace: "default" },
    webhooks: { retryInitialInterval: 10_000, retryBackoff: 6, timeout: 10_000 },
    egress: { allow: [], caFile: undefined },
    metrics: { port: undefined, host: "127.0.0.1", token: undefined },
    workerProbes: { port: undefined, host: "127.0.0.1" },
    shutdown: { delay: 0, grace: 10_000 },
    tracing: { endpoint: undefined, protocol: "http/json", sampler: "parentbased_always_on", ratio: 1 },
    trustProxy: false,
    mtls: undefined,
    logLevel: "info",
    tokenLifetime: 3600,
    registrationLimits: { address: 20, tenant: 200 },
    rateLimit: { perSecond: 500, burst: 1_000 },
  });
});

test("an empty variable counts as unset", () => {
  expect(readConfig({ PORT: "", PUBLIC_URL: "", DATABASE_URL: "", MASTER_KEY: "", EGRESS_ALLOW: "" })).toEqual(
    readConfig({}),
  );
});

test("a HOST in brackets is the address inside", () => {
  expect(readConfig({ HOST: "[::1]" }).host).toBe("::1");
  expect(readConfig({ HOST: "::1" }).host).toBe("::1");
});

test.each(["127.0.0.1", "0.0.0.0", "localhost", ""])("the API can listen on HOST=%s", (HOST) => {
  expect(hostProblems({ HOST })).toEqual([]);
});

test.each(["no.such.name.invalid", "not a host", "203.0.113.7", "127.0.0.1:80"])("it cannot on HOST=%s", (HOST) => {
  expect(hostProblems({ HOST })).toEqual([expect.stringContaining(`HOST is "${HOST}"; it must be`)]);
});

test("a full environment is read", () => {
  const config = readConfig({
    PORT: "8080",
    HOST: "0.0.0.0",
    PUBLIC_URL: "https://gate.example/",
    DATABASE_URL: "postgresql://user:word@db.example:5432/gatehouse",
    MASTER_KEY: KEY,
    TEMPORAL_ADDRESS: "temporal.example:7233",
    TEMPORAL_NAMESPACE: "hooks",
    TEMPORAL_UI_URL: "https://temporal.example/",
    WEBHOOK_RETRY_INITIAL_INTERVAL: "200ms",
    WEBHOOK_RETRY_BACKOFF: "1.5",
    WEBHOOK_TIMEOUT: "2s",
    WEBHOOK_HOLD_AFTER: "5",
    WEBHOOK_PROBE_INTERVAL: "5m",
    EGRESS_ALLOW: " 10.0.0.0/8, localhost:8443 ,",
    HTTPS_PROXY: "http://user:word@proxy.example:3128",
    NO_PROXY: "internal.example, 10.0.0.0/8",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318/",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    METRICS_PORT: "9464",
    METRICS_HOST: "0.0.0.0",
    METRICS_TOKEN: "0123456789abcdef",
    TRUST_PROXY: "true",
    MTLS_URL: "https://mtls.gate.example/",
    CLIENT_CERT_HEADER: "X-SSL-Cert",
    LOG_LEVEL: "debug",
    LOG_FORMAT: "json",
    TOKEN_LIFETIME: "60",
  });
  expect(config).toMatchObject({
    port: 8080,
    portAsked: true,
    host: "0.0.0.0",
    publicUrl: "https://gate.example",
    databaseUrl: "postgresql://user:word@db.example:5432/gatehouse",
    masterKey: KEY,
    temporal: {
      outside: true,
      address: "temporal.example:7233",
      namespace: "hooks",
      uiUrl: "https://temporal.example",
    },
    webhooks: { retryInitialInterval: 200, retryBackoff: 1.5, timeout: 2_000, holdAfter: 5, probeInterval: 300_000 },
    egress: {
      allow: ["10.0.0.0/8", "localhost:8443"],
      proxy: { url: "http://user:word@proxy.example:3128/", except: ["internal.example", "10.0.0.0/8"] },
    },
    tracing: { endpoint: "http://localhost:4318/v1/traces", sampler: "traceidratio", ratio: 0.25 },
    metrics: { port: 9464, host: "0.0.0.0", token: "0123456789abcdef" },
    trustProxy: true,
    mtls: { url: "https://mtls.gate.example", header: "x-ssl-cert" },
    logLevel: "debug",
    logFormat: "json",
    tokenLifetime: 60,
  });
});

test.each([
  ["true", true],
  ["1", true],
  ["0", false],
  ["2", 2],
  ["20", 20],
])("TRUST_PROXY=%s is %p", (TRUST_PROXY, expected) => {
  expect(readConfig({ TRUST_PROXY }).trustProxy).toBe(expected);
});

test("TRUST_PROXY takes networks and addresses, of IPv4 and IPv6", () => {
  const { trustProxy } = readConfig({ TRUST_PROXY: "10.0.0.0/8, ::1,192.0.2.7" });
  const texts = (trustProxy as [unknown, number][]).map(([address, length]) => `${address}/${length}`);
  expect(texts).toEqual(["10.0.0.0/8", "::1/128", "192.0.2.7/32"]);
});

test.each(["yes", "21", "-1", "2.5", "1,2", "10.0.0.0/33", "proxy.internal", ","])(
  "TRUST_PROXY=%s is rejected",
  (TRUST_PROXY) => {
    expect(problemsOf({ TRUST_PROXY })).toEqual([expect.stringContaining("TRUST_PROXY is")]);
  },
);

test.each([
  [{ HTTPS_PROXY: "proxy.example:3128" }, "http://proxy.example:3128/"],
  [{ https_proxy: "http://[::1]:3128" }, "http://[::1]:3128/"],
  [{ https_proxy: "http://one.example", HTTPS_PROXY: "http://other.example" }, "http://one.example/"],
  [{ HTTPS_PROXY: "" }, undefined],
])("the proxy of %j is %p", (env, url) => {
  expect(readConfig(env).egress.proxy?.url).toBe(url);
});

test("certificates are accepted only from a proxy", () => {
  expect(problemsOf({ MTLS_URL: "https://mtls.gate.example" })).toEqual([expect.stringContaining("TRUST_PROXY")]);
  expect(problemsOf({ MTLS_URL: "https://mtls.gate.example", TRUST_PROXY: "true" })).toEqual([]);
});

test("the issuer follows the port unless it is given", () => {
  expect(readConfig({ PORT: "4000" }).publicUrl).toBe("http://localhost:4000");
});

const WRONG: Record<string, string> = {
  PORT: "70000",
  PUBLIC_URL: "localhost:3000",
  DATABASE_URL: "mysql://db.example/gatehouse",
  MASTER_KEY: "c2hvcnQ=",
  MASTER_KEY_PREVIOUS: `${KEY},c2hvcnQ=`,
  WEBHOOK_RETRY_INITIAL_INTERVAL: "10",
  WEBHOOK_RETRY_BACKOFF: "0.5",
  WEBHOOK_TIMEOUT: "soon",
  WEBHOOK_HOLD_AFTER: "0",
  WEBHOOK_PROBE_INTERVAL: "1",
  EGRESS_ALLOW: "10.0.0.0/33",
  EGRESS_CA_FILE: "/nowhere/ca.pem",
  HTTPS_PROXY: "socks5://proxy.example:1080",
  OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318",
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "localhost:4318/v1/traces",
  OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc",
  OTEL_TRACES_EXPORTER: "console",
  OTEL_SDK_DISABLED: "yes",
  OTEL_TRACES_SAMPLER: "sometimes",
  OTEL_TRACES_SAMPLER_ARG: "25",
  METRICS_PORT: "65535",
  METRICS_TOKEN: "too short",
  TRUST_PROXY: "yes",
  MTLS_URL: "http://mtls.gate.example",
  CLIENT_CERT_HEADER: "Client Cert",
  SMTP_URL: "https://mail.gate.example",
  SMTP_CA_FILE: "/nothing/there.pem",
  MAIL_FROM: "Gate <gate@gate.example>",
  MAIL_RATE: "0",
  LOG_LEVEL: "loud",
  LOG_FORMAT: "xml",
  LOG_LEVEL_FORMAT: "letter",
  TOKEN_LIFETIME: "1h",
  RATE_LIMIT: "0",
  RATE_LIMIT_BURST: "many",
};

test("all errors are reported together, each with its variable and the valid values", () => {
  const problems = problemsOf(WRONG);
  expect(problems).toHaveLength(Object.keys(WRONG).length);
  for (const name of Object.keys(WRONG)) {
    expect(problems.filter((problem) => problem.startsWith(`${name} `))).toHaveLength(1);
  }
  expect(new ConfigError(problems).message.split("\n")).toHaveLength(problems.length + 1);
});

test.each(Object.entries(WRONG))("only %s is reported", (name, value) => {
  expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} .*must be`))]);
});

describe("a misspelt name", () => {
  /** With fewer than eight letters, too many names are similar. */
  const names = Object.keys(WRONG).filter((name) => name.length >= 8);
  /** Except https_proxy, which is a separate name. */
  const typos = (name: string): string[] => {
    const at = Math.floor(name.length / 2);
    const [head, tail] = [name.slice(0, at), name.slice(at)];
    return [
      head + tail.slice(1),
      head + tail[0] + tail,
      `${head}X${tail.slice(1)}`,
      `${name.slice(0, 1)}${name[2]}${name[1]}${name.slice(3)}`,
      `${name}S`,
      name.toLowerCase(),
      `${name}_FILE`,
      `GATEHOUSE_${name}`,
    ].filter((typo) => typo !== name && !(typo in WRONG) && typo !== "https_proxy");
  };

  test.each(names)("of %s is reported with the correct one, without its value", (name) => {
    for (const typo of typos(name)) {
      const [problem, ...others] = problemsOf({ [typo]: "hunter2" });
      expect([typo, problem, others]).toEqual([typo, expect.stringMatching(/^\S+ is set, .* must be \w+/), []]);
      expect(problem).not.toContain("hunter2");
      expect([typo, problem]).toEqual([typo, expect.stringContaining(name)]);
    }
  });

  test.each(["TENANT_MAX_STORAGE", "TEMPORAL_TLS_CERT", "DATABASE_POOL_SIZE"])(
    "%s begins as ours, so it is reported",
    (name) => {
      const right = {
        TENANT_MAX_STORAGE_MEGABYTES: "5",
        TEMPORAL_TLS_SERVER_NAME: "a.example",
        DATABASE_POOL_API: "5",
      };
      const [problem, ...others] = problemsOf({ ...right, [name]: "hunter2" });
      expect([problem, others]).toEqual([
        expect.stringMatching(new RegExp(`^${name} is set, .* must be one of ${name.slice(0, 10)}`)),
        [],
      ]);
      expect(problem).not.toContain("hunter2");
    },
  );

  test("is ignored if the correct one is set too, or if no variable is similar", () => {
    expect(problemsOf({ DATABASE_URI: "x", DATABASE_URL: "postgres://db.example/gatehouse" })).toEqual([]);
    const others = {
      HTTP_PROXY: "x",
      https_proxy: "x",
      HOSTNAME: "x",
      PORTS: "x",
      LOG_FILE: "x",
      OTEL_SERVICE_NAME: "x",
    };
    expect(
      problemsOf({ ...others, WEBHOOK_SECRET: "x", PUBLIC_KEY: "x", GATEHOUSE_PORT: "tcp://10.0.0.1:80" }),
    ).toEqual([]);
  });
});

test.each(["PORT", "WORKER_PORT"] as const)("METRICS_PORT must differ from %s", (name) => {
  const problem = `METRICS_PORT is 3001, as ${name}; it must be a port of its own`;
  expect(samePortProblems({ METRICS_PORT: "3001", [name]: "3001" }, name)).toEqual([problem]);
  expect(samePortProblems({ METRICS_PORT: "3001", [name]: "3002" }, name)).toEqual([]);
  expect(samePortProblems({}, name)).toEqual([]);
});

describe("secrets are never repeated", () => {
  test.each([
    ["MASTER_KEY", "hunter2-is-no-key"],
    ["MASTER_KEY_PREVIOUS", "hunter2-is-no-key"],
    ["DATABASE_URL", "mysql://admin:hunter2@db.example/gatehouse"],
    ["PUBLIC_URL", "https://admin:hunter2@gate.example"],
    ["METRICS_TOKEN", "hunter2"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://:hunter2@collector.example"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://:hunter2@collector.example/v1/traces"],
    ["PUBLIC_URL", "https://:hunter2@gate.example"],
  ])("%s=%s", (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain("hunter2");
  });
});

describe("retentions", () => {
  const DAY = 86_400_000;

  test.each(["RETENTION", "PAYLOAD_RETENTION", "AUDIT_RETENTION"])("%s is at least a day", (name) => {
    const problem = expect.stringContaining("a time such as 36h or 30d, at least 1d and at most 36500d");
    for (const text of ["23h", "0d", "1", "90m", "36501d"]) expect(problemsOf({ [name]: text })).toEqual([problem]);
    expect(problemsOf({ [name]: "24h" })).toEqual([]);
  });

  test("TEMPORAL_RETENTION is at least an hour", () => {
    expect(problemsOf({ TEMPORAL_RETENTION: "0h" })).toEqual([expect.stringContaining("at least 1h")]);
    expect(readConfig({ TEMPORAL_RETENTION: "1h" }).temporal.retention).toBe(3_600_000);
  });

  test("a longer PAYLOAD_RETENTION, its default too, is as long as RETENTION", () => {
    const { retention } = readConfig({ RETENTION: "2d", PAYLOAD_RETENTION: "10d" });
    expect(retention).toEqual({ log: 2 * DAY, payloads: 2 * DAY, audit: 400 * DAY });
    expect(readConfig({ RETENTION: "36h" }).retention.payloads).toBe(1.5 * DAY);
    expect(readConfig({ RETENTION: "10d" }).retention.payloads).toBe(7 * DAY);
  });
});

describe("durations", () => {
  const UNITS = { ms: 1, s: 1_000, m: 60_000 };
  const DAY = 86_400_000;

  test("every whole number of a unit up to a day is accepted", () => {
    const duration = fc
      .constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[]))
      .chain((unit) => fc.record({ unit: fc.constant(unit), count: fc.integer({ min: 1, max: DAY / UNITS[unit] }) }));
    fc.assert(
      fc.property(duration, ({ unit, count }) => {
        expect(parseDuration(`${count}${unit}`)).toBe(count * UNITS[unit]);
      }),
    );
  });

  test("any other text is rejected with the valid form", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/^\s*\d{1,9}(ms|s|m)\s*$/.test(text)),
        (text) => {
          expect(() => parseDuration(text)).toThrow("a duration such as 200ms, 10s or 5m");
        },
      ),
    );
  });

  test.each(["0ms", "0s", "1441m", "86401s", "999999999m"])("%s is out of range", (text) => {
    expect(() => parseDuration(text)).toThrow("between 1ms and 1440m");
  });
});

const smtpOf = (SMTP_URL: string) => readConfig({ SMTP_URL, MAIL_FROM: "gate@gate.example" }).mail.smtp;

test.each([
  ["smtps://mail.gate.example", "mail.gate.example", 465, "implicit"],
  ["smtp://mail.gate.example", "mail.gate.example", 587, "required"],
  ["smtp://127.0.0.1:1025", "127.0.0.1", 1025, "offered"],
  ["smtp://[::1]:25", "::1", 25, "offered"],
  ["smtp+insecure://10.0.0.7", "10.0.0.7", 25, "none"],
] as const)("SMTP_URL %s is read", (url, host, port, tls) => {
  expect(smtpOf(url)).toEqual({ host, port, tls, login: undefined, caFile: undefined });
});

test("SMTP_URL has a percent-encoded login, which errors do not repeat, and needs MAIL_FROM", () => {
  expect(smtpOf("smtps://gate%40gate.example:a%2Fb@mail.gate.example")?.login).toEqual({
    user: "gate@gate.example",
    password: "a/b",
  });
  for (const url of ["smtps://gate:secret@", "smtp://gate:secret@mail.gate.example/inbox", "smtp://a:secret@b c"]) {
    const [problem, ...others] = problemsOf({ SMTP_URL: url, MAIL_FROM: "gate@gate.example" });
    expect(problem).toStartWith('SMTP_URL is "…"; it must be smtps://');
    expect(others).toEqual([]);
  }
  expect(problemsOf({ SMTP_URL: "smtp://mail.gate.example" })).toEqual([
    expect.stringMatching(/^MAIL_FROM is missing/),
  ]);
});
