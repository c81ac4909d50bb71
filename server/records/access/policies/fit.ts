// The limit for all of a tenant's policies together.

import { Conflict } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Access } from "../access.ts";
import type { PolicyText } from "../decisions/policy-engine.ts";

/** Every process parses all of a tenant's policies when one changes, and asks each of them for every decision. */
const POLICIES_PER_TENANT = 100;
const CHARACTERS_PER_TENANT = 40_000;

/** Checks that valid policies can together be the tenant's. @throws Conflict, TenantBusy */
export async function requireFit(
  access: Pick<Access, "weighPolicies">,
  tenantId: TenantId,
  policies: readonly PolicyText[],
): Promise<void> {
  const texts = policies.map(({ policy }) => policy);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (texts.length > POLICIES_PER_TENANT || characters > CHARACTERS_PER_TENANT) {
    throw new Conflict(
      `A tenant can have ${POLICIES_PER_TENANT} policies with ${CHARACTERS_PER_TENANT} characters together; with this ` +
        `one there would be ${texts.length} with ${characters}.`,
    );
  }
  const tooCostly = await access.weighPolicies(tenantId, texts);
  if (tooCostly) throw new Conflict(tooCostly);
}
