const DATE = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * A day, which means its start in UTC, or a time with offset (RFC 3339).
 * @returns undefined if it is invalid, such as 2026-02-30, or outside the years 1 to 9999 in UTC
 */
export function readDate(text: string): Date | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (day === undefined) return undefined;
  const date = new Date(text);
  if (!hasYear(date) || !isInCalendar(Number(year), Number(month), Number(day))) return undefined;
  return date;
}

function hasYear(date: Date): boolean {
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
}

/** JavaScript reads 30 February as 2 March. */
function isInCalendar(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
