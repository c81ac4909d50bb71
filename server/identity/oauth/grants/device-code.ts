import { digestOf } from "../../signin/opaque.ts";
import { holdActiveUser } from "../../signin/store.ts";
import { findDevice, linkDevice, notePoll, type PolledDevice, takeDevice } from "../authorize/device.store.ts";
import { RFC_TOKEN_PATH } from "../door.ts";
import { requireField } from "../endpoint.ts";
import { TokenError } from "../errors.ts";
import { leftOf } from "../issuable.ts";
import { targetOf } from "../resources.ts";
import { insertFamily } from "../tokens/families.store.ts";
import { type GrantRequest, type Issued, revokeReused } from "./grant.ts";
import { issueTokens } from "./issue.ts";

/** Seconds added to the polling interval after each poll that is too early (RFC 8628 3.5). */
const SLOW_DOWN = 5;

/** RFC 8628 3.4. The tokens do not end with the session of the approving browser. */
export async function deviceCode(request: GrantRequest): Promise<Issued> {
  const { client, door, form, sql, families, apis, resource } = request;
  // The spec door has no codes for these errors.
  if (door === "spec")
    throw new TokenError(
      "unsupported_grant_type",
      `This address does not offer the device grant. Send the request to ${RFC_TOKEN_PATH}.`,
    );
  const digest = digestOf(requireField(form, "device_code"));
  const device = await findDevice(sql, client.tenantId, digest);
  if (!device) throw noDevice();
  if (device.clientId !== client.id) {
    throw new TokenError("another_clients_grant", "The device_code was issued to another client.");
  }
  if (device.isUsed) return revokeReused(request, "device_code", await findDevice(sql, client.tenantId, digest));
  const userId = await answered(request, device, digest);
  const authentication = { authTime: Math.floor(device.authTime.getTime() / 1000), acr: device.acr, amr: device.amr };
  const { scopes: granted, resources } = leftOf(client, { ...device, userId, claims: [] });
  const target = targetOf(apis, resources, resource);
  const family = await sql.beginFor(client.tenantId, async (tx) => {
    if (!(await holdActiveUser(tx, client.tenantId, userId))) throw noDevice();
    if (!(await takeDevice(tx, client.tenantId, digest))) return undefined;
    const started = families.start({
      clientId: client.id,
      userId,
      scopes: granted,
      resources,
      lifetime: client.refreshTokenLifetime ?? undefined,
      ...authentication,
    });
    await insertFamily(tx, client.tenantId, started.family);
    await linkDevice(tx, client.tenantId, digest, started.familyId);
    return started;
  });
  if (!family) return revokeReused(request, "device_code", await findDevice(sql, client.tenantId, digest));

  return issueTokens(request, {
    target,
    scopes: granted,
    asked: undefined,
    ...family,
    user: { id: userId, ...authentication },
  });
}

/** @returns the user who approved it @throws TokenError with a code of RFC 8628 3.5 until then */
async function answered({ sql, client }: GrantRequest, device: PolledDevice, digest: Buffer): Promise<number> {
  const say = (code: string, description: string) => new TokenError("invalid_grant", description, code);
  if (device.isExpired) throw say("expired_token", "The device_code has expired. Start again.");
  if (device.userId !== null) return device.userId;
  if (device.isDecided) throw say("access_denied", "The user denied access.");
  if (await notePoll(sql, client.tenantId, digest, SLOW_DOWN)) {
    throw say("slow_down", `The device polls too often: from now on it must wait ${SLOW_DOWN} seconds longer.`);
  }
  throw say("authorization_pending", "The user has not answered yet. Poll again after the interval.");
}

function noDevice(): TokenError {
  return new TokenError("invalid_grant", "The device_code is invalid or expired. Start again.");
}
