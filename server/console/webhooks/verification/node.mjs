import { createHmac, timingSafeEqual } from "node:crypto";

// headers: a Headers object, or an object of names and values as in node:http. body: text or bytes as received.
export function isFromGatehouse(secret, headers, body) {
  try {
    const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
    const header = (name) => pairs.flatMap(([key, value]) => (key.toLowerCase() === name ? value : [])).join(" ");
    const timestamp = header("webhook-timestamp");
    if (!/^\d{10}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
    const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
    const mac = createHmac("sha256", key).update(`${header("webhook-id")}.${timestamp}.`).update(Buffer.from(body));
    const expected = Buffer.from(`v1,${mac.digest("base64")}`);
    return header("webhook-signature").split(/,? +/).some((signature) => {
      const given = Buffer.from(signature);
      return key.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
    });
  } catch {
    return false; // for example, a body that is parsed already
  }
}
