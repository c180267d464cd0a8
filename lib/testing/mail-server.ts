import { once } from "node:events";
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export type ReceivedMail = {
  from: string;
  to: string[];
  /** Whether the connection was encrypted when the message arrived. */
  encrypted: boolean;
  user: string | null;
  authMethod: string | null;
  raw: string;
  mail: Email;
};

export type MailServerSettings = {
  /** TLS from the first byte. */
  implicitTls?: boolean;
  /** Absent = no authentication required. */
  account?: { user: string; pass: string };
  /** Do not offer STARTTLS. */
  plainOnly?: boolean;
  /** Recipients that are refused. */
  refuse?: string[];
};

/** A real mail server on loopback that stores the messages. No known authority has signed its certificate. */
export async function startMailServer(settings: MailServerSettings = {}) {
  const received: ReceivedMail[] = [];
  const methods = new Map<string, string>();
  const { account, refuse = [] } = settings;
  const options: SMTPServerOptions = {
    secure: settings.implicitTls ?? false,
    authOptional: account === undefined,
    authMethods: ["PLAIN", "LOGIN"],
    allowInsecureAuth: true,
    logger: false,
    disabledCommands: [...(settings.plainOnly ? ["STARTTLS"] : []), ...(account ? [] : ["AUTH"])],
    onAuth(auth, session, done) {
      methods.set(session.id, auth.method);
      const right = auth.username === account?.user && auth.password === account?.pass;
      if (right) done(null, { user: auth.username });
      else done(new Error("Invalid username or password"));
    },
    onRcptTo(address, _session, done) {
      done(refuse.includes(address.address) ? new Error("no such mailbox") : null);
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const raw = Buffer.concat(parts);
        PostalMime.parse(raw).then((mail) => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            from: mailFrom === false ? "" : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            encrypted: session.secure,
            user: session.user ?? null,
            authMethod: methods.get(session.id) ?? null,
            raw: raw.toString("utf8"),
            mail,
          });
          done();
        }, done);
      });
    },
  };
  const server = new SMTPServer(options);
  // The server emits "error" when a client disconnects during TLS; tests do this on purpose.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    received,
    /** The latest message to an address. Throws when there is none. */
    latestTo(address: string): ReceivedMail {
      const found = received.findLast(({ to }) => to.includes(address));
      if (!found) throw new Error(`no message to ${address}`);
      return found;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
