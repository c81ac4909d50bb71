import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createEgress, parseDenyList } from "../../../server/platform/egress/index.ts";
import { failureOf, request, trustingEgress } from "../../support/egress.ts";

/** Everything is allowed, so only the deny list can reject. */
const OPEN = ["0.0.0.0/0", "::/0"];
const check = (host: string, deny: string[] = [], allow = OPEN) =>
  createEgress({ allow, deny, dns: [], caFile: undefined }).checkUrl(`https://${host}/`);

const CLOUDS_IPV4 = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.0.23",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "161.26.0.10",
  "166.8.0.14",
];

const groupsOf = (address: string) => {
  const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)] as const;
};
/** Every way to put an IPv4 address into an IPv6 address. */
const FORMS: Record<string, (address: string) => string> = {
  plain: (address) => address,
  decimal: (address) => String(address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)),
  mapped: (address) => `[::ffff:${address}]`,
  compatible: (address) => `[::${groupsOf(address).join(":")}]`,
  translated: (address) => `[::ffff:0:${groupsOf(address).join(":")}]`,
  NAT64: (address) => `[64:ff9b::${groupsOf(address).join(":")}]`,
  "local NAT64": (address) => `[64:ff9b:1::${groupsOf(address).join(":")}]`,
  "6to4": (address) => `[2002:${groupsOf(address).join(":")}::1]`,
  Teredo: (address) =>
    `[2001:0:1234::${groupsOf(address)
      .map((group) => (Number.parseInt(group, 16) ^ 0xffff).toString(16))
      .join(":")}]`,
};

describe("a cloud's own service", () => {
  test.each(Object.keys(FORMS))("cannot be saved, written as %s, whatever is allowed", (form) => {
    for (const address of CLOUDS_IPV4) expect(check(FORMS[form]!(address))).toContain("EGRESS_DENY");
  });

  test.each([["[fd00:ec2::254]"], ["[fd20:ce::254]"], ["metadata.google.internal"], ["METADATA.google.internal."]])(
    "%s cannot be saved",
    (host) => {
      expect(check(host)).toContain("EGRESS_DENY");
    },
  );

  test("168.63.129.16 cannot be saved, though it is a public address", () => {
    expect(check("168.63.129.16", [], [])).toContain("EGRESS_DENY");
    expect(check("168.63.129.17", [], [])).toBeUndefined();
  });

  test("is not posted to when a name resolves to it", async () => {
    for (const address of [...CLOUDS_IPV4, "64:ff9b::a9fe:a9fe", "fd00:ec2::254"]) {
      const outcome = await trustingEgress([...OPEN, "name.test:443"], async () => [address]).post(
        request("https://name.test/"),
      );
      expect(failureOf(outcome)).toBe("blocked-address");
      expect(JSON.stringify(outcome)).not.toContain(address);
    }
  });
});

describe("EGRESS_DENY", () => {
  test("wins over EGRESS_ALLOW, in every form of every address of its range", () => {
    fc.assert(
      fc.property(
        fc.ipV4(),
        fc.integer({ min: 8, max: 32 }),
        fc.nat(),
        fc.constantFrom(...Object.keys(FORMS)),
        (network, length, offset, form) => {
          const size = 2 ** (32 - length);
          const start = Math.floor(Number(FORMS.decimal!(network)) / size) * size;
          const address = start + (offset % size);
          const dotted = [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join(".");
          const host = FORMS[form]!(dotted);
          expect(check(host, [`${network}/${length}`])).toContain("EGRESS_DENY");
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("rejects nothing else", () => {
    const outside = fc.ipV4().filter((address) => {
      const [first, second] = address.split(".").map(Number) as [number, number];
      // These contain addresses of the clouds.
      return first !== 10 && ![100, 161, 166, 168, 169, 192].includes(first) && second >= 0;
    });
    fc.assert(fc.property(outside, (address) => check(address, ["10.0.0.0/8"]) === undefined));
  });

  test.each([
    ["internal.example", "internal.example", true],
    ["internal.example", "db.internal.example.", true],
    ["internal.example", "notinternal.example", false],
    ["INTERNAL.example", "internal.EXAMPLE", true],
    ["fd00::/8", "[fd12::1]", true],
    ["10.0.0.7", "10.0.0.7", true],
    ["10.0.0.7", "10.0.0.8", false],
  ])("%s rejects %s: %p", (entry, host, refused) => {
    expect(check(host, [entry]) !== undefined).toBe(refused);
  });

  test.each([["10.0.0.0/33"], ["host:443"], ["https://host"], ["*"], ["010.0.0.1"], ["a b"], ["2130706433"]])(
    "%s is rejected by name",
    (entry) => {
      expect(() => parseDenyList(["internal.example", entry])).toThrow(
        `EGRESS_DENY contains "${entry}"; each entry must be`,
      );
    },
  );
});
