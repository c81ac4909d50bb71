// The body of one delivery: the event's payload, or the part that its connection gets. It follows from stored values
// alone, so every attempt sends the same bytes.

import { ERASED, type outbox } from "../../records/index.ts";

/** The maximum number of characters of webhook-sequence. Servers accept 8 KiB of headers; a connection may have 4,000. */
export const SEQUENCE_LIMIT = 3_000;

export interface Posted {
  body: string;
  /** Headers by their names in the request. */
  sequences: Record<string, string>;
}

interface Stored {
  payload: string;
  /** The former values of changed fields, as JSON; null: it is not an update, or they are unknown. */
  previous: string | null;
  /** Of its records, in the payload's order; null: it is not a change. */
  sequences: number[] | null;
  form: outbox.DeliveryForm | null;
}

/** docs/webhooks.md "Fields": the format's version, with one of the options of a form. */
const FORMED_VERSION = "1.1";

export function postedOf({ payload, previous, sequences, form }: Stored): Posted {
  const { records, after } = form ?? {};
  const own = records && sequences ? records.map((place) => sequences[place]!) : sequences;
  const [sequence, before] = [sequenceOf(own), sequenceOf(after ?? null)];
  return {
    body: form ? formed(payload, previous, form) : payload,
    sequences: {
      ...(sequence && { "webhook-sequence": sequence }),
      ...(sequence && before && { "X-Previous-Sequence": before }),
    },
  };
}

type Values = Record<string, unknown>;

function formed(payload: string, previous: string | null, form: outbox.DeliveryForm): string {
  const { fields, changed, previous: withPrevious } = form;
  const { Data, Test, ...head } = JSON.parse(payload);
  const records: Values[] = [Data].flat();
  const former: Values[] = previous === null ? [] : [JSON.parse(previous)].flat();
  const places = form.records ?? [...records.keys()];
  // An erased person is found by all of its ids.
  const isSent = (name: string) => !fields || name === "Id" || head.EventType === ERASED || fields.includes(name);
  const sent = (values: Values) => Object.fromEntries(Object.entries(values).filter(([name]) => isSent(name)));
  const each = <T>(value: (place: number) => T) => (Array.isArray(Data) ? places.map(value) : value(0));
  const isFormed = fields !== undefined || changed || withPrevious;
  return JSON.stringify({
    ...head,
    ...(isFormed && { Version: FORMED_VERSION }),
    Data: each((place) => sent(records[place]!)),
    ...(changed && former.length > 0 && { ChangedFields: each((place) => Object.keys(former[place]!)) }),
    ...(withPrevious && former.length > 0 && { Previous: each((place) => sent(former[place]!)) }),
    ...(Test && { Test }),
  });
}

/** The value of webhook-sequence. Null if there are no numbers or the value is too long. */
export function sequenceOf(sequences: number[] | null): string | null {
  const value = sequences?.join();
  return value !== undefined && value.length <= SEQUENCE_LIMIT ? value : null;
}
