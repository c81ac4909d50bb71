// A device without a browser, and its user.

import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import type { Answer } from "./api.ts";
import { type Client, RFC_TOKEN_PATH } from "./client.ts";
import { form } from "./grants.ts";
import { elapse } from "./rows.ts";
import { request } from "./tenant.ts";
import { type View, Visitor } from "./visitor.ts";

export const DEVICE_PATH = "/oauth2/device_authorization";

export interface Device {
  deviceCode: string;
  userCode: string;
  uri: string;
  completeUri: string;
  /** Requests its tokens, optionally as another client. */
  poll(fields?: Record<string, string | undefined>, as?: Client, headers?: Record<string, string>): Promise<Answer>;
}

export function credentialsOf({ id, tenant }: Client): Record<string, string> {
  return { client_id: id, client_secret: tenant.client.clientSecret };
}

export async function beginDevice(client: Client, fields: Record<string, string> = {}): Promise<Device> {
  const { status, body } = await request("POST", DEVICE_PATH, { body: form({ ...credentialsOf(client), ...fields }) });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  const { device_code: deviceCode, user_code: userCode } = body;
  return {
    deviceCode,
    userCode,
    uri: new URL(body.verification_uri).pathname,
    completeUri: body.verification_uri_complete.replace(new URL(body.verification_uri).origin, ""),
    poll: (more = {}, as = client, headers = {}) =>
      request("POST", RFC_TOKEN_PATH, {
        headers,
        body: form({ ...credentialsOf(as), grant_type: DEVICE_GRANT, device_code: deviceCode, ...more }),
      }),
  };
}

/** Enters a device's code. */
export async function typeCode(visitor: Visitor, code: string, headers: Record<string, string> = {}): Promise<View> {
  return visitor.submit(await visitor.open("/device", headers), { user_code: code }, headers);
}

/** Opens the page with the question. */
export async function toQuestion(visitor: Visitor, { userCode }: Device, { tenant }: Client): Promise<View> {
  const view = await typeCode(visitor, userCode);
  return view.heading === "Sign in" ? visitor.submit(view, tenant.admin) : view;
}

export async function allowDevice(device: Device, client: Client, visitor = new Visitor()): Promise<View> {
  return visitor.submit(await toQuestion(visitor, device, client), { decision: "allow" });
}

/** Simulates elapsed time of a device. */
export async function ageDevice({ userCode }: Device, interval: string): Promise<void> {
  await elapse(interval, "device_codes", { user_code: userCode.replace("-", "") }, ["polled_on", "expires_on"]);
}
