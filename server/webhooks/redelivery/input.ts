import { BadInput } from "../../errors.ts";
import { printable } from "../../http/body.ts";
import { isUuid } from "../../http/paging.ts";

/**
 * What POST WebhookEvent/{EventId}/Redeliver takes.
 * @returns the connection's id, or undefined for all that the event went to
 * @throws BadInput naming every field that does not fit
 */
export function parseRedeliver(body: unknown): string | undefined {
  let connectionId: string | undefined;
  readFields(body, "Redeliver", {
    ConnectionId: (value) => {
      if (value === null || value === "") return undefined;
      if (typeof value !== "string" || !isUuid(value)) return "ConnectionId must be a connection's Id, or empty.";
      connectionId = value.toLowerCase();
      return undefined;
    },
  });
  return connectionId;
}

/** Takes a field's value, or says what is wrong with it. */
type Take = (value: unknown) => string | undefined;

function readFields(body: unknown, record: string, fields: Record<string, Take>): void {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput(`The body must be one ${record} object.`);
  }
  const problems = Object.entries(body).flatMap(([name, value]) => {
    const take = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return (take ? take(value) : `${printable(name)} is no field of ${record}.`) ?? [];
  });
  if (problems.length > 0) throw BadInput.of(problems);
}
