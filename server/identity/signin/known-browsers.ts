// Browsers in which a user has signed in before: failures of strangers do not block them.

import type { Sql } from "../../platform/db/sql.ts";
import type { Cookies } from "./cookies.ts";
import { deviceOf } from "./device-name.ts";
import type { WarnOfDevice } from "./links/mailed.ts";
import { digestOf, newOpaqueValue } from "./opaque.ts";
import type { Session } from "./session.ts";
import { findKnown, recordSignIn } from "./store.ts";

/** Seconds for which a browser is remembered. */
const DEVICE_LIFETIME = 365 * 24 * 3600;

type Owner = Pick<Session, "tenantId" | "userId">;

export interface KnownBrowsers {
  recognize(
    request: Request,
    user: Owner,
    address: string,
  ): Promise<{ knownDevice: Buffer | undefined; knownAddress: boolean }>;
  /** Records a completed sign-in, and mails its user if the browser is a new one. @returns the Set-Cookie value that identifies the browser */
  remember(request: Request, user: Owner, address: string): Promise<string>;
}

export function createKnownBrowsers(sql: Sql, cookies: Cookies, warnOfDevice: WarnOfDevice): KnownBrowsers {
  return {
    async recognize(request, { tenantId, userId }, address) {
      const offered = cookies.read(request, "device");
      const device = offered === undefined ? undefined : digestOf(offered);
      const known = await findKnown(sql, tenantId, userId, device, address);
      return { knownDevice: known.device ? device : undefined, knownAddress: known.address };
    },
    async remember(request, { tenantId, userId }, address) {
      const value = cookies.read(request, "device") ?? newOpaqueValue();
      await sql.beginFor(tenantId, async (tx) => {
        const isNew = await recordSignIn(tx, tenantId, userId, digestOf(value), address);
        const device = deviceOf(request.headers.get("user-agent") ?? "");
        if (isNew) await warnOfDevice(tx, tenantId, userId, { device, address });
      });
      return cookies.set("device", value, DEVICE_LIFETIME);
    },
  };
}
