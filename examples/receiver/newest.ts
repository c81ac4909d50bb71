// What a receiver has to do with webhook-sequence. Calls may come late, twice, or in another order than the changes.

interface Event {
  EventRecord: string;
  /** Of several records, an array. */
  Data: unknown;
}

/**
 * The sequence of the newest change of each record. In a real receiver it is a column beside the record, written in the
 * same transaction, and it stays when the record is deleted: an older change must not bring that back.
 */
export type Newest = Map<string, number>;

/**
 * Tells which records of a call are news, and remembers them. The others are to be dropped, with a 2xx.
 * @param sequence the header: a number for each record of Data, in its order
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
