const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

export const day = (date: Date) => DAY.format(date);
/** A page without script does not know the reader's own zone. */
export const moment = (date: Date) => `${MOMENT.format(date)} UTC`;
