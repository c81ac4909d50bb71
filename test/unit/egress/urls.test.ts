import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { createEgress, parseAllowList } from "../../../server/platform/egress/index.ts";
import { readCertificates, trustedCertificates } from "../../../server/platform/egress/trust.ts";
import { certificate } from "../../support/egress.ts";

const check = (url: string, allow: string[] = []) =>
  createEgress({ allow, deny: [], dns: [], caFile: undefined }).checkUrl(url);

describe("a webhook's URL", () => {
  test.each([
    ["https://example.com/hook"],
    ["https://example.com:8443/hook?ApiKey=1"],
    ["https://localhost:8443/"],
    ["https://bücher.example/"],
    ["HTTPS://EXAMPLE.COM"],
    ["https://example.com?to=ana@example.com"],
  ])("%s can be saved", (url) => {
    expect(check(url)).toBeUndefined();
  });

  test.each([
    ["", "cannot be read"],
    ["example.com/hook", "cannot be read"],
    ["https://", "cannot be read"],
    ["https://256.256.256.256/", "cannot be read"],
    ["https://[::1%25lo]/", "cannot be read"],
    ["http://example.com/", "https://"],
    ["ftp://example.com/", "https://"],
    ["file:///etc/passwd", "https://"],
    ["https://user@example.com/", "user name"],
    ["https://user:password@example.com/", "user name"],
    ["https://:password@example.com/", "user name"],
    ["https://@example.com/", "@ in the host"],
    ["https:example.com/", "start with https:// and its host"],
    ["https:///example.com/", "start with https:// and its host"],
    ["https://example.com\\@other.example/", "\\ or @"],
    ["https://exam\tple.com/", "control characters"],
    ["https://example.com/\r\nX-Header: 1", "control characters"],
    ["https://example.com:22/", "port 22"],
    ["https://example.com:6667/", "port 6667"],
    ["https://example.com:0/", "port 0"],
    ["https://127.0.0.1:8443/", "adding 127.0.0.1:8443 to EGRESS_ALLOW"],
    ["https://[::1]/", "adding [::1]:443 to EGRESS_ALLOW"],
  ])("%s cannot be saved", (url, reason) => {
    expect(check(url)).toContain(reason);
  });

  test("is never repeated in the reason with its secrets", () => {
    for (const url of [
      "http://example.com/secret?ApiKey=secret",
      "https://a:secret@b/",
      "https://10.0.0.1/?k=secret",
    ]) {
      expect(check(url)).not.toContain("secret");
    }
  });
});

describe("EGRESS_ALLOW", () => {
  test.each([
    ["localhost:8443", "https://localhost:8443/", true],
    ["LOCALHOST:8443", "https://localhost.:8443/", true],
    ["localhost:8443", "https://localhost:8444/", false],
    ["localhost:8443", "https://other:8443/", false],
    ["receiver:443", "https://receiver/", true],
    ["127.0.0.1:8443", "https://2130706433:8443/", true],
    ["[::1]:8443", "https://[0:0::1]:8443/", true],
  ])("%s names the host of %s: %p", (entry, url, expected) => {
    expect(parseAllowList([entry]).namesHost(new URL(url))).toBe(expected);
  });

  test.each([
    ["10.0.0.0/8", "https://10.9.8.7/", true],
    ["10.0.0.0/8", "https://[::ffff:10.9.8.7]/", true],
    ["10.0.0.0/8", "https://11.0.0.1/", true],
    ["10.0.0.0/8", "https://192.168.0.1/", false],
    ["10.0.0.7", "https://10.0.0.7/", true],
    ["10.0.0.7", "https://10.0.0.8/", false],
    ["fd00::/8", "https://[fd12::1]/", true],
    ["fd00::/8", "https://[fe80::1]/", false],
    ["::1", "https://[::1]/", true],
    ["127.0.0.1:8443", "https://127.0.0.1:8443/", true],
    ["127.0.0.1:8443", "https://127.0.0.1:8444/", false],
    // The embedded address decides.
    ["64:ff9b::/96", "https://[64:ff9b::a00:1]/", false],
    ["::/0", "https://[64:ff9b::a00:1]/", false],
    ["10.0.0.0/8", "https://[64:ff9b::a00:1]/", true],
    ["10.0.0.0/8", "https://[64:ff9b:1::a00:1]/", true],
    ["2002::/16", "https://[2002:a00:1::1]/", false],
    ["10.0.0.0/8", "https://[2002:a00:1::1]/", false],
    ["2002::/16,10.0.0.0/8", "https://[2002:a00:1::1]/", true],
    ["2002::/16", "https://[2002:808:808::1]/", true],
  ])("%s lets %s be saved: %p", (entry, url, expected) => {
    expect(check(url, entry.split(",")) === undefined).toBe(expected);
  });

  test.each([
    ["localhost"],
    ["8443"],
    ["10"],
    ["10.0.0"],
    ["10.0.0.0/33"],
    ["10/8"],
    ["010.0.0.1"],
    ["https://localhost:8443"],
    ["localhost:8443/path"],
    ["user@localhost:8443"],
    ["localhost:99999"],
    ["::ffff:10.0.0.0/104"],
    ["*"],
  ])("%s is rejected by name", (entry) => {
    expect(() => createEgress({ allow: ["localhost:1234", entry], deny: [], dns: [], caFile: undefined })).toThrow(
      `EGRESS_ALLOW contains "${entry}"; each entry must be`,
    );
  });
});

describe("EGRESS_CA_FILE", () => {
  test("adds to the system's authorities", () => {
    const trusted = trustedCertificates(readCertificates(certificate.caFile));
    expect(trusted).toEqual(expect.arrayContaining([...rootCertificates]));
    expect(trusted).toContain(readFileSync(certificate.caFile, "utf8").trim());
  });

  test("is rejected with a message when it cannot be used", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-ca-"));
    try {
      const create = (name: string) => () => createEgress({ allow: [], deny: [], dns: [], caFile: join(folder, name) });
      writeFileSync(join(folder, "empty.pem"), "");
      writeFileSync(
        join(folder, "broken.pem"),
        "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n",
      );
      expect(create("none.pem")).toThrow("cannot be read (ENOENT)");
      expect(create("empty.pem")).toThrow("contains no certificate in PEM form");
      expect(create("broken.pem")).toThrow("contains an unreadable certificate");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
