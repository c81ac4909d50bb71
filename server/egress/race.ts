// A name with several addresses (RFC 8305): they are tried one after the other, and one of them alone gets the request.

import type { ClientRequest } from "node:http";
import type { Address } from "./addresses.ts";
import { toEgressError } from "./failures.ts";

/** An address that has not connected for so long is no longer waited for alone (RFC 8305 5, 8). */
const NEXT_AFTER_MS = 250;
/** A dead receiver should be called dead after these. */
const MAX_ADDRESSES_TRIED = 8;

/** The turn of one address. */
export interface AddressTurn {
  /** To be given up once another address has the request. */
  join(outgoing: ClientRequest): void;
  /** Connected: whether the request goes here. */
  take(): boolean;
}

/**
 * @param addresses in the order to try them
 * @param attempt connects, writes the request only if it may take it, and gives the answer
 * @returns the answer, and the address that gave it
 */
export function race<Answer>(
  addresses: Address[],
  host: string,
  signal: AbortSignal,
  attempt: (address: Address, turn: AddressTurn) => Promise<Answer>,
): Promise<{ answer: Answer; address: Address }> {
  const candidates = addresses.slice(0, MAX_ADDRESSES_TRIED);
  const connecting: { address: Address; outgoing: ClientRequest }[] = [];
  const errors: unknown[] = [];
  let taker: Address | undefined;
  let began = 0;
  let timer: Timer | undefined;

  return new Promise((resolve, reject) => {
    const turnOf = (address: Address): AddressTurn => ({
      join: (outgoing) => void connecting.push({ address, outgoing }),
      take() {
        if (taker !== undefined) return taker === address;
        taker = address;
        clearTimeout(timer);
        for (const other of connecting) if (other.address !== address) other.outgoing.destroy();
        return true;
      },
    });
    const begin = () => {
      clearTimeout(timer);
      const address = candidates[began];
      if (address === undefined || taker !== undefined || signal.aborted) return;
      began++;
      timer = setTimeout(begin, NEXT_AFTER_MS);
      attempt(address, turnOf(address)).then(
        (answer) => resolve({ answer, address }),
        (error) => {
          if (taker === address) return reject(error);
          errors.push(error);
          if (errors.length === candidates.length) reject(mostTelling(errors, host));
          else begin();
        },
      );
    };
    begin();
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** An address where something answered, by a wrong certificate for example, tells more than one where nothing is. */
function mostTelling(errors: unknown[], host: string): unknown {
  const isSilent = (error: unknown) => ["refused", "unreachable"].includes(toEgressError(error, host).failure);
  return errors.find((error) => !isSilent(error)) ?? errors.at(-1);
}

/** The families by turns, so that one that has no way out delays a request but once (RFC 8305 4). */
export function inTurns(addresses: Address[], first: Address | undefined): Address[] {
  const kind = addresses[0]!.kind();
  const [own, other] = [addresses.filter((one) => one.kind() === kind), addresses.filter((one) => one.kind() !== kind)];
  const turns = addresses.flatMap((_, at) => [own[at], other[at]]).filter((one) => one !== undefined);
  const known = first && turns.find((one) => one.toString() === first.toString());
  return known ? [known, ...turns.filter((one) => one !== known)] : turns;
}
