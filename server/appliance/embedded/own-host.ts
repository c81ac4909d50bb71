// The servers for this machine's user answer only to their own names. Otherwise a foreign page under a name that resolves
// to 127.0.0.1 could read them (DNS rebinding).

const NAMES = ["localhost", "127.0.0.1"];

/** @param more additional hosts, with their ports @returns the answer to a request with a foreign Host */
export function refuseForeignHost(request: Request, port: number, more: readonly string[] = []): Response | undefined {
  const own = [...NAMES.map((name) => `${name}:${port}`), ...more];
  if (own.includes(request.headers.get("host")?.toLowerCase() ?? "")) return undefined;
  return new Response(`This server accepts only the host ${own.join(" and ")}.\n`, { status: 421 });
}
