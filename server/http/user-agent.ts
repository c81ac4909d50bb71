/** Characters kept of what a caller calls itself. */
const USER_AGENT_LIMIT = 300;

/** The head of User-Agent (RFC 9110 10.1.5); "" without one. */
export function userAgentOf(request: Request): string {
  return (request.headers.get("user-agent") ?? "").slice(0, USER_AGENT_LIMIT);
}
