// Shows how a receiver handles webhook-sequence. Calls may arrive late, twice or out of order.

interface Event {
  EventRecord: string;
  /** An array for several records. */
  Data: unknown;
}

/**
 * The sequence of each record's newest change. A real receiver stores it in a column beside the record, in the same
 * transaction, and keeps it after deletion, so an older change does not restore the record.
 */
export type Newest = Map<string, number>;

/**
 * Returns the call's new records and remembers them. Drop the others, and answer 2xx.
 * @param sequence the header: a number for each record of Data, in order
 */
export function takeNews(newest: Newest, { EventRecord, Data }: Event, sequence: string): unknown[] {
  const sequences = sequence.split(",").map(Number);
  return [Data].flat().filter((record, index) => {
    const key = `${EventRecord} ${(record as { Id: unknown }).Id}`;
    const isNews = sequences[index]! > (newest.get(key) ?? 0);
    if (isNews) newest.set(key, sequences[index]!);
    return isNews;
  });
}
