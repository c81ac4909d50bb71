import { MethodNotAllowed } from "../errors.ts";

/**
 * HEAD is allowed wherever GET is (RFC 9110 9.1); the server leaves its body out.
 * @throws MethodNotAllowed, whose Allow names what would be right
 */
export function requireMethod(request: Request, ...methods: string[]): void {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  if (!allowed.includes(request.method)) throw new MethodNotAllowed(allowed);
}

/** GET or HEAD, which change nothing (RFC 9110 9.2.1). */
export function isRead(request: Request): boolean {
  return request.method === "GET" || request.method === "HEAD";
}
