// A real SMTP server that keeps its mails. The recipient's name before the @ chooses its answers.

import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A received mail as it was sent. Its Message-ID is that of the header. */
export interface RawMail {
  to: string[];
  source: string;
  isSecure: boolean;
  user: string | undefined;
}

export interface MailServer extends AsyncDisposable {
  /** SMTP_URL without credentials. */
  smtpUrl: string;
  port: number;
  /** Answers `GET /?to=ADDRESS` with the address's mails as JSON, oldest first. */
  url: string;
  mails: RawMail[];
}

/** Replies to RCPT by the beginning of the recipient's name; of `later` only the first time for an address. */
const REFUSALS = {
  bounce: { responseCode: 550, message: "5.1.1 No such user here" },
  full: { responseCode: 452, message: "4.2.2 Mailbox full" },
  later: { responseCode: 451, message: "4.7.1 Try again later" },
};

/** @param options of smtp-server, such as `secure` and a certificate */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const mails: RawMail[] = [];
  const seen = new Set<string>();
  const isFirst = (address: string) => !seen.has(address) && Boolean(seen.add(address));
  const server = new SMTPServer({
    authOptional: true,
    ...(!options.key && { disabledCommands: ["STARTTLS"] }),
    onRcptTo({ address }, _, callback) {
      const [name] = Object.keys(REFUSALS).filter((one) => address.startsWith(one)) as (keyof typeof REFUSALS)[];
      if (!name || (name === "later" && !isFirst(address))) return callback();
      const { message, responseCode } = REFUSALS[name];
      callback(Object.assign(new Error(message), { responseCode }));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const isRefused = to.some((address) => address.startsWith("spam"));
        if (isRefused) return callback(Object.assign(new Error("5.7.1 Not wanted"), { responseCode: 554 }));
        const user = typeof session.user === "string" ? session.user : undefined;
        mails.push({ to, source: Buffer.concat(chunks).toString("utf8"), isSecure: session.secure, user });
        // The mail has arrived, and its sender does not know it.
        if (to.some((address) => address.startsWith("cut") && isFirst(address))) return cut(session.remotePort);
        callback(null, "2.0.0 Queued");
      });
    },
    ...options,
  });
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  function cut(remotePort: number): void {
    for (const socket of sockets) if (socket.remotePort === remotePort) socket.destroy();
  }
  // A client that refuses the certificate, for example.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const reader = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const to = new URL(request.url).searchParams.get("to")?.toLowerCase();
      return Response.json(mails.filter((mail) => mail.to.some((address) => address.toLowerCase() === to)));
    },
  });
  const address = server.server.address() as { port: number };
  return {
    smtpUrl: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    url: reader.url.href,
    mails,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([reader.stop(true), new Promise<void>((resolve) => server.close(() => resolve()))]);
    },
  };
}
