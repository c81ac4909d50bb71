import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createEgress, type Resolve } from "../../../server/platform/egress/index.ts";
import { failureOf, request } from "../../support/egress.ts";

const egress = createEgress({ allow: [], deny: [], dns: [], caFile: undefined });
const refusal = (host: string) => egress.checkUrl(`https://${host}/hook`);

/** Taken from the IANA registries, not from the library under test: [network, prefix length]. */
const SPECIAL_IPV4: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Public addresses that are rejected anyway: services of clouds for their machines. */
const CLOUDS: [string, number][] = [
  ["161.26.0.0", 16],
  ["166.8.0.0", 14],
  ["168.63.129.16", 32],
];

const SPECIAL_IPV6: [string, number][] = [
  ["::", 96],
  ["100::", 64],
  ["2001::", 32],
  ["2001:2::", 48],
  ["2001:db8::", 32],
  ["2001:10::", 28],
  ["2001:20::", 28],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const toNumber = (dotted: string) => dotted.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const toDotted = (value: number) => [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join(".");
const isRefused = (value: number) =>
  [...SPECIAL_IPV4, ...CLOUDS].some(([network, length]) => {
    const size = 2 ** (32 - length);
    return Math.floor(value / size) === Math.floor(toNumber(network) / size);
  });

/** Every way to write one IPv4 address in a URL. */
const NOTATIONS: Record<string, (value: number) => string> = {
  dotted: toDotted,
  decimal: String,
  hex: (value) => `0x${value.toString(16)}`,
  octal: (value) => `0${value.toString(8)}`,
  "hex parts": (value) =>
    toDotted(value)
      .split(".")
      .map((part) => `0x${Number(part).toString(16)}`)
      .join("."),
  "octal parts": (value) =>
    toDotted(value)
      .split(".")
      .map((part) => `0${Number(part).toString(8)}`)
      .join("."),
  "two parts": (value) => `${Math.floor(value / 2 ** 24)}.${value % 2 ** 24}`,
  "three parts": (value) => `${Math.floor(value / 2 ** 24)}.${Math.floor(value / 65536) % 256}.${value % 65536}`,
  "full-width digits": (value) =>
    toDotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  "trailing dot": (value) => `${toDotted(value)}.`,
  "mapped, dotted": (value) => `[::ffff:${toDotted(value)}]`,
  "mapped, hex": (value) => `[::ffff:${Math.floor(value / 65536).toString(16)}:${(value % 65536).toString(16)}]`,
};

/** NAT64: the translated address is the target. RFC 6052 2.2 has the forms of shorter prefixes. */
const TRANSLATIONS: Record<string, (high: string, low: string) => string> = {
  NAT64: (high, low) => `[64:ff9b::${high}:${low}]`,
  "local NAT64, /96": (high, low) => `[64:ff9b:1::${high}:${low}]`,
  "local NAT64, /48": (high, low) => `[64:ff9b:1:${high}:${low.padStart(4, "0").replace(/(..)(..)/, "00$1:$200")}::]`,
  "local NAT64, /64": (high, low) => {
    const [h, l] = [high.padStart(4, "0"), low.padStart(4, "0")];
    return `[64:ff9b:1:0:00${h.slice(0, 2)}:${h.slice(2)}${l.slice(0, 2)}:${l.slice(2)}00:0]`;
  },
};

/** Notations that embed an IPv4 address in a tunnel's address; rejected for public addresses too. */
const EMBEDDINGS: Record<string, (high: string, low: string) => string> = {
  "IPv4-compatible": (high, low) => `[::${high}:${low}]`,
  "6to4": (high, low) => `[2002:${high}:${low}::1]`,
  Teredo: (high, low) => `[2001:0:${high}:${low}::1]`,
  SIIT: (high, low) => `[::ffff:0:${high}:${low}]`,
};

const specialIPv4 = fc
  .constantFrom(...SPECIAL_IPV4, ...CLOUDS)
  .chain(([network, length]) =>
    fc.integer({ min: 0, max: 2 ** (32 - length) - 1 }).map((offset) => toNumber(network) + offset),
  );
const publicIPv4 = fc.integer({ min: 0, max: 2 ** 32 - 1 }).filter((value) => !isRefused(value));
const notation = fc.constantFrom(...Object.keys(NOTATIONS));

const specialIPv6 = fc.constantFrom(...SPECIAL_IPV6).chain(([network, length]) =>
  fc.bigInt({ min: 0n, max: 2n ** BigInt(128 - length) - 1n }).map((offset) => {
    const groups = network.split("::")[0]!.split(":").filter(Boolean);
    const start = groups.reduce((sum, group, at) => sum + (BigInt(`0x${group}`) << BigInt(112 - 16 * at)), 0n);
    const hex = (start + offset).toString(16).padStart(32, "0");
    return hex.match(/.{4}/g)!.join(":");
  }),
);

describe("an address that is not public", () => {
  test.each(Object.entries(NOTATIONS))("is rejected when written as %s", (_, write) => {
    for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "0.0.0.0"]) {
      expect(refusal(write(toNumber(address)))).toMatch(/EGRESS_(ALLOW|DENY)/);
    }
  });

  test("is rejected in every range and every notation", () => {
    fc.assert(
      fc.property(specialIPv4, notation, (address, way) => {
        expect(refusal(NOTATIONS[way]!(address))).toMatch(/EGRESS_(ALLOW|DENY)/);
      }),
      { numRuns: 2000 },
    );
  });

  test("is rejected in every range of IPv6", () => {
    fc.assert(
      fc.property(specialIPv6, (address) => {
        expect(refusal(`[${address}]`)).toMatch(/EGRESS_(ALLOW|DENY)/);
      }),
      { numRuns: 2000 },
    );
  });

  test("is rejected when a resolver returns it, before anything is sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(specialIPv4.map(toDotted), specialIPv6), async (address) => {
        const resolve: Resolve = async () => [address];
        const outcome = await createEgress({ allow: [], deny: [], dns: [], caFile: undefined }, resolve).post(
          request("https://receiver.test/"),
        );
        expect(failureOf(outcome)).toBe("blocked-address");
      }),
    );
  });

  test("is rejected with a zone", async () => {
    const resolve: Resolve = async () => ["fe80::1%lo"];
    const outcome = await createEgress({ allow: ["fe80::/10"], deny: [], dns: [], caFile: undefined }, resolve).post(
      request("https://receiver.test/"),
    );
    expect(failureOf(outcome)).toBe("blocked-address");
  });
});

const groupsOf = (address: number) =>
  [Math.floor(address / 65536), address % 65536].map((group) => group.toString(16)) as [string, string];

describe("a NAT64 address", () => {
  const way = fc.constantFrom(...Object.keys(TRANSLATIONS));
  const anywhere = { allow: ["::/0", "64:ff9b::/96", "64:ff9b:1::/48"], deny: [], dns: [], caFile: undefined };

  test("is rejected if the embedded address is not public, also where the NAT64 range is allowed", () => {
    const open = createEgress(anywhere);
    fc.assert(
      fc.property(specialIPv4, way, (address, form) => {
        // 0.0.0.1 with a shorter prefix is a different address with a longer one.
        fc.pre(form === "NAT64" || address >= 2 ** 24);
        const host = TRANSLATIONS[form]!(...groupsOf(address));
        expect(refusal(host)).toMatch(/EGRESS_(ALLOW|DENY)/);
        expect(open.checkUrl(`https://${host}/`)).toMatch(/EGRESS_(ALLOW|DENY)/);
      }),
      { numRuns: 2000 },
    );
  });

  test("is accepted if the embedded address is public or allowed", () => {
    fc.assert(
      fc.property(publicIPv4, (address) => {
        expect(refusal(TRANSLATIONS.NAT64!(...groupsOf(address)))).toBeUndefined();
        expect(refusal(TRANSLATIONS["local NAT64, /96"]!(...groupsOf(address)))).toBeUndefined();
      }),
    );
    const allowing = createEgress({ ...anywhere, allow: ["10.0.0.0/8"] });
    for (const form of ["NAT64", "local NAT64, /96"]) {
      expect(allowing.checkUrl(`https://${TRANSLATIONS[form]!("a00", "1")}/`)).toBeUndefined();
    }
  });

  test("is judged the same when a resolver returns it", async () => {
    const egress = createEgress({ ...anywhere }, async () => ["64:ff9b::a00:1"]);
    expect(failureOf(await egress.post(request("https://receiver.test/")))).toBe("blocked-address");
  });
});

describe("an ISATAP address of a public network", () => {
  test("is rejected if the embedded address is not public", () => {
    for (const word of ["0:5efe", "200:5efe"]) {
      expect(refusal(`[2a00:1450:4001:1:${word}:a00:1]`)).toMatch(/EGRESS_ALLOW/);
      expect(refusal(`[2a00:1450:4001:1:${word}:808:808]`)).toBeUndefined();
    }
  });
});

describe("a tunnel address", () => {
  test("is rejected, whatever it embeds", () => {
    const anyIPv4 = fc.oneof(publicIPv4, specialIPv4);
    fc.assert(
      fc.property(anyIPv4, fc.constantFrom(...Object.keys(EMBEDDINGS)), (address, way) => {
        expect(refusal(EMBEDDINGS[way]!(...groupsOf(address)))).toMatch(/EGRESS_(ALLOW|DENY)/);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a public address", () => {
  test("is accepted in every notation of IPv4", () => {
    fc.assert(
      fc.property(publicIPv4, notation, (address, way) => {
        expect(refusal(NOTATIONS[way]!(address))).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test("is accepted as IPv6", () => {
    for (const address of ["2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "2400:cb00::1"]) {
      expect(refusal(`[${address}]`)).toBeUndefined();
    }
  });
});
