// Connection attempts to a name's addresses in sequence (RFC 8305); only one gets the request.

import type { ClientRequest } from "node:http";
import type { Address } from "./addresses.ts";
import { toEgressError } from "./failures.ts";

/** After this time without a connection, the next address is tried as well (RFC 8305 5, 8). */
const NEXT_AFTER_MS = 250;
/** Limits the time until an unreachable receiver is reported. */
const MAX_ADDRESSES_TRIED = 8;

export interface AddressTurn {
  /** Aborted when a different address gets the request. */
  join(outgoing: ClientRequest): void;
  /** Call it when connected. @returns whether the request goes to this address */
  take(): boolean;
}

/** @param addresses in order of preference @param attempt connects, and writes only if `take` allows it */
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
          if (errors.length === candidates.length) reject(mostInformative(errors, host));
          else begin();
        },
      );
    };
    begin();
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

/** Prefers an error from a responding address, such as a wrong certificate, to one from an unreachable address. */
function mostInformative(errors: unknown[], host: string): unknown {
  const isSilent = (error: unknown) => ["refused", "unreachable"].includes(toEgressError(error, host).failure);
  return errors.find((error) => !isSilent(error)) ?? errors.at(-1);
}

/** Alternates address families, so a missing family delays a request only once (RFC 8305 4). */
export function inTurns(addresses: Address[], first: Address | undefined): Address[] {
  const kind = addresses[0]!.kind();
  const [own, other] = [addresses.filter((one) => one.kind() === kind), addresses.filter((one) => one.kind() !== kind)];
  const turns = addresses.flatMap((_, at) => [own[at], other[at]]).filter((one) => one !== undefined);
  const known = first && turns.find((one) => one.toString() === first.toString());
  return known ? [known, ...turns.filter((one) => one !== known)] : turns;
}
