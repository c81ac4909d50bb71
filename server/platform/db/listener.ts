// Notifications of PostgreSQL, by one session of a process. A lost session is replaced until the listener ends.

import { type DatabaseSession, type Driver, type End, openSession, queriesOf, type SessionOptions } from "./driver.ts";
import { RETRY_MS } from "./pool.ts";

/** Without statements, a session would not notice that its server is gone, or takes no writes. */
const PULSE_MS = 1_000;
const PULSE_TIMEOUT_SECONDS = 10;

export interface Listener {
  /**
   * @param onListening called once notifications arrive, also after each loss @param onDeaf called after each loss
   * @returns a function that stops it
   * @throws the failure of the first attempt; further ones follow
   */
  listen(
    channel: string,
    hear: (payload: string) => void,
    onListening?: () => void,
    onDeaf?: () => void,
  ): Promise<() => Promise<void>>;
  /** Replaces the session, because a new one may reach another server. */
  renew(): void;
  end(): Promise<void>;
}

interface Hearing {
  hear: (payload: string) => void;
  onListening?: () => void;
  onDeaf?: () => void;
}

export interface ListenerOptions extends Omit<SessionOptions, "answerTimeout" | "onEnd"> {
  onNotification: (channel: string, payload: string) => void;
}

export function createListener(driver: Driver, options: ListenerOptions): Listener {
  const channels = new Map<string, Set<Hearing>>();
  let session: DatabaseSession | undefined;
  let pulse: Timer | undefined;
  let isEnded = false;

  const statements = (on: DatabaseSession) => queriesOf(driver, (statement) => on.run(statement));

  function open(delayMs: number): DatabaseSession {
    return openSession({ ...options, answerTimeout: PULSE_TIMEOUT_SECONDS, onNotification, onEnd }, delayMs);
  }

  function onNotification(channel: string, payload: string): void {
    options.onNotification(channel, payload);
    for (const { hear } of channels.get(channel) ?? []) hear(payload);
  }

  function onEnd(_: DatabaseSession, how: End): void {
    session = undefined;
    for (const hearings of channels.values()) for (const { onDeaf } of hearings) onDeaf?.();
    if (isEnded) return;
    session = open(how === "not opened" ? RETRY_MS : 0);
    for (const [channel, hearings] of channels) subscribe(session, channel, hearings).catch(() => {});
  }

  async function subscribe(to: DatabaseSession, channel: string, hearings: Iterable<Hearing>): Promise<void> {
    try {
      await statements(to).unsafe(`listen "${channel}"`);
    } catch (error) {
      const repeat = () => session === to && subscribe(to, channel, hearings).catch(() => {});
      setTimeout(repeat, RETRY_MS);
      throw error;
    }
    for (const { onListening } of hearings) onListening?.();
  }

  function sendPulse(): void {
    if (session)
      statements(session)
        .unsafe("select")
        .catch(() => {});
  }

  return {
    async listen(channel, hear, onListening, onDeaf) {
      const hearing = { hear, onListening, onDeaf };
      const hearings = channels.get(channel) ?? new Set();
      channels.set(channel, hearings.add(hearing));
      session ??= open(0);
      pulse ??= setInterval(sendPulse, PULSE_MS);
      await subscribe(session, channel, [hearing]);
      return async () => {
        hearings.delete(hearing);
        if (hearings.size > 0 || !channels.delete(channel) || !session) return;
        await statements(session).unsafe(`unlisten "${channel}"`);
      };
    },
    renew() {
      void session?.close(1);
    },
    async end() {
      isEnded = true;
      clearInterval(pulse);
      await session?.close(1);
    },
  };
}
