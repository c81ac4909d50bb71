// A change, and the receivers that get it.

import type { ConnectionId } from "../../platform/ids.ts";
import type { ChangeType } from "./event.ts";

export interface Change {
  eventType: ChangeType;
  eventRecord: string;
  recordIds: string[];
  /** The change numbers of the records; null for a ping. */
  sequences: number[] | null;
  /** The record in its response shape; a bulk change has all of them. */
  data: Record<string, unknown> | Record<string, unknown>[];
  /** Of an update: the former values of each record's changed fields, in the same form. */
  previous?: Record<string, unknown> | Record<string, unknown>[];
  /** Sent whatever a filter says, because the data lacks what filters read. */
  isUnfiltered?: boolean;
  /** Excluded, because the event is about this connection. */
  notTo?: ConnectionId | null;
}

/** The difference between one delivery's post and the event's payload. */
export interface DeliveryForm {
  /** The places of its records in the payload's array; undefined: all. */
  records?: number[];
  /** The last numbers of its records that this connection got; 0: none. */
  after?: number[];
  /** The fields of Data, beside Id; undefined: all. */
  fields?: string[];
  /** Whether the names of changed fields are sent, and their former values. */
  changed?: true;
  previous?: true;
}

export interface Receivers {
  /** The connections whose filter did not match. */
  withheld: ConnectionId[];
  forms: { id: ConnectionId; form: DeliveryForm }[];
}
