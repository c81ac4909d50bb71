import { MethodNotAllowed } from "../errors.ts";

/** @throws MethodNotAllowed, whose Allow names what would be right */
export function requireMethod(request: Request, ...allowed: string[]): void {
  if (!allowed.includes(request.method)) throw new MethodNotAllowed(allowed);
}
