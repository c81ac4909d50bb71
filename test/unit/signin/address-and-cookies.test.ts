// Parts of sign-in that a Gatehouse over plain http on loopback cannot show.

import { expect, test } from "bun:test";
import { createCookies } from "../../../server/identity/signin/cookies.ts";
import { clientAddress, clientNetwork, contextOf } from "../../../server/platform/http/context.ts";
import { createSite } from "../../../server/ui/site.ts";

test.each([
  ["192.0.2.1", undefined, false, "192.0.2.1"],
  ["::ffff:192.0.2.1", undefined, false, "192.0.2.1"],
  ["2001:db8:1:2:3::4", undefined, false, "2001:db8:1:2::/64"],
  ["192.0.2.1", "198.51.100.7", false, "192.0.2.1"],
  ["192.0.2.1", "198.51.100.7", true, "198.51.100.7"],
  ["192.0.2.1", "10.0.0.1, 198.51.100.7", true, "198.51.100.7"],
  ["192.0.2.1", undefined, true, "unknown"],
  ["192.0.2.1", "198.51.100.7:4711", true, "198.51.100.7"],
  ["192.0.2.1", "unknown", true, "unknown"],
])("peer %p, X-Forwarded-For %p, TRUST_PROXY %p: failures count for %s", (peer, forwarded, trustProxy, network) => {
  const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const request = new Request("http://localhost", { headers });
  contextOf(request).address = clientAddress(request, peer, trustProxy);
  expect(clientNetwork(request)).toBe(network);
});

test("over https every cookie is Secure and has the __Host- prefix", () => {
  const cookies = createCookies("https://id.example");
  const value = "v".repeat(43);
  expect(cookies.set("session", value)).toBe(
    `__Host-gatehouse-session=${value}; Path=/; Secure; HttpOnly; SameSite=Lax`,
  );
  const request = (cookie: string) => new Request("http://localhost", { headers: { cookie } });
  for (const other of ["session", "__Host-session", "gatehouse-session"]) {
    expect(cookies.read(request(`${other}=${value}`), "session")).toBeUndefined();
  }
  expect(cookies.read(request(`a=b; __Host-gatehouse-session=${value}`), "session")).toBe(value);
  expect(cookies.read(request("__Host-gatehouse-session=short"), "session")).toBeUndefined();
});

test("two installations on one host read only their own cookies", () => {
  const addresses = ["http://localhost", "https://localhost", "http://localhost:3000", "http://localhost:3001"];
  const paths = ["", "/a", "/b", "/a/b", "/a-b", "/a.b", "/%C3%A9"];
  const installations = addresses.flatMap((address) => paths.map((path) => createCookies(address + path)));
  const value = "v".repeat(43);
  for (const one of installations) {
    const cookie = one.set("session", value).split(";")[0]!;
    expect(cookie).toMatch(/^[\w-]+=v+$/);
    const request = new Request("http://localhost", { headers: { cookie } });
    expect(installations.filter((other) => other.read(request, "session") === value)).toEqual([one]);
  }
});

test("pages use the path of PUBLIC_URL", () => {
  expect(createSite("https://example.com/id").href("/signin")).toBe("/id/signin");
  expect(createSite("https://example.com").asset("pico.css")).toMatch(/^\/assets\/pico-[0-9a-f]{16}\.css$/);
});
