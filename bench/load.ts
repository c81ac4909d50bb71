// An HTTP client with little overhead: it keeps its connections and uses no library. A chunked answer, which it does not
// support, or a status of 400 or more ends the measurement.

/** One connection's requests. Each is sent after the previous answer. */
export interface Conversation {
  /** The whole next request, from `requestText`. */
  next(): string;
  /** Called with the body and the head of each answer. */
  heard?(body: string, head: string): void;
}

interface Answered {
  resolve(answer: { body: string; head: string }): void;
  reject(error: Error): void;
}

export function requestText(
  method: string,
  path: string,
  { body = "", ...headers }: Record<string, string> = {},
): string {
  const length = body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, "host: localhost", ...lines, ...length, "", body].join("\r\n");
}

/**
 * Runs each conversation on its own connection.
 * @returns the number of answered requests
 * @throws Error with the first answer of 400 or more
 */
export async function converse(url: string, conversations: Conversation[], seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  const counts = await Promise.all(
    conversations.map(async (conversation) => {
      using connection = await Connection.open(new URL(url));
      let count = 0;
      for (; performance.now() < until; count++) {
        const { body, head } = await connection.ask(conversation.next());
        conversation.heard?.(body, head);
      }
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export class Connection implements Disposable {
  private received = Buffer.alloc(0);
  private waiting: Answered | undefined;
  private socket: Bun.Socket | undefined;

  static async open({ hostname, port }: URL): Promise<Connection> {
    const connection = new Connection();
    connection.socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, chunk) => connection.take(chunk),
        close: () => connection.fail(new Error("The server closed a connection.")),
        error: (_, error) => connection.fail(error),
      },
    });
    return connection;
  }

  ask(text: string): Promise<{ body: string; head: string }> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket?.write(text);
    });
  }

  [Symbol.dispose](): void {
    this.socket?.end();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.received, chunk]);
    const headEnd = this.received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.received.toString("latin1", 0, headEnd);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
    const end = headEnd + 4 + length;
    if (this.received.length < end) return;
    const body = this.received.toString("utf8", headEnd + 4, end);
    this.received = this.received.subarray(end);
    if (Number.isNaN(length) || !/^HTTP\/1\.1 [23]/.test(head)) {
      this.fail(new Error(`${head}\n\n${body}`));
      return;
    }
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve({ body, head });
  }

  private fail(error: Error): void {
    this.waiting?.reject(error);
    this.waiting = undefined;
  }
}
