// An EventId is a UUIDv7 (RFC 9562 5.7): its first 48 bits are milliseconds since 1970, and they are the event's time.

export function timeOf(eventId: string): Date {
  return new Date(Number.parseInt(eventId.replace("-", "").slice(0, 12), 16));
}

/** No event of this time or later has a lower one. */
export function lowestIdOf(time: Date): string {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
