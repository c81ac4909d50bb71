import { expect } from "bun:test";
import { type View, Visitor } from "../authorize/visitor.ts";
import { sentBack, startForgedProvider } from "./forged-provider.ts";
import { newUpstreamTenant, toProvider } from "./tenant.ts";

/** A browser before its redirect back from a provider. */
export async function onTheWay() {
  const provider = await startForgedProvider();
  const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
  const visitor = new Visitor();
  const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
  return { provider, tenant, visitor, location, back: sentBack(provider, location) };
}

/** The response to a browser that returns without having been redirected. */
export function expectNothing(view: View, visitor: Visitor): void {
  expect(view).toMatchObject({ status: 400, location: undefined });
  expect(view.html).toContain("started in a different browser");
  expect(visitor.cookies.has("gatehouse-session")).toBe(false);
}
