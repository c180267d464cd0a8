import { AppError } from "@/lib/errors";
import type { MailSettings } from "./settings";

export type Mail = {
  /** One address, or several separated by ";". */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The same for every retry of a message; absent = a new one. */
  messageId?: string;
};

export type MailTimeouts = { connectMs: number; greetingMs: number; idleMs: number };

const TIMEOUTS: MailTimeouts = { connectMs: 10_000, greetingMs: 10_000, idleMs: 20_000 };
const RECEIVERS_MAX = 50;

/**
 * Sends an e-mail over a new connection. Resolves with the server's answer when it has accepted it for every recipient. Throws AppError:
 * mailReceiverInvalid, mailUnreachable (name, connection, timeout), mailInsecure (TLS not offered or certificate
 * refused), mailAuthFailed, mailRejected (sender, a recipient or the message), mailFailed.
 */
export async function transmit(settings: MailSettings, mail: Mail, timeouts: MailTimeouts = TIMEOUTS): Promise<string> {
  const to = receiversOf(mail.to);
  const transport = await openTransport(settings, timeouts);
  try {
    const { rejected, response } = await transport.sendMail({
      from: settings.from,
      to,
      subject: mail.subject.replace(/\p{Cc}+/gu, " "),
      text: mail.text,
      html: mail.html,
      textEncoding: "base64",
      ...(mail.messageId === undefined ? {} : { messageId: mail.messageId }),
    });
    if (rejected.length > 0) throw new AppError("upstream", "mailRejected", {}, { response });
    return response;
  } catch (error) {
    throw explain(error);
  } finally {
    transport.close();
  }
}

function receiversOf(to: string): string[] {
  const receivers = to
    .split(";")
    .map((receiver) => receiver.trim())
    .filter((receiver) => receiver !== "");
  const fit = receivers.every((receiver) => /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(receiver));
  if (receivers.length === 0 || receivers.length > RECEIVERS_MAX || !fit) {
    throw new AppError("invalid", "mailReceiverInvalid");
  }
  return receivers;
}

const KEYS: Record<string, string> = {
  EDNS: "mailUnreachable",
  ECONNECTION: "mailUnreachable",
  ETIMEDOUT: "mailUnreachable",
  ECONNREFUSED: "mailUnreachable",
  ECONNRESET: "mailUnreachable",
  ENOTFOUND: "mailUnreachable",
  ETLS: "mailInsecure",
  EREQUIRETLS: "mailInsecure",
  EAUTH: "mailAuthFailed",
  ENOAUTH: "mailAuthFailed",
  EENVELOPE: "mailRejected",
  EMESSAGE: "mailRejected",
};

function explain(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const certificate = /certificate|self.signed|unable to verify|tls|ssl/i.test(String(message));
  const key = code === "ESOCKET" ? (certificate ? "mailInsecure" : "mailUnreachable") : KEYS[String(code)];
  return new AppError("upstream", key ?? "mailFailed", {}, error);
}

/** Connects to the server and logs in, without a message. Rejects with nodemailer's own error. */
export async function verifyTransport(settings: MailSettings, timeouts: MailTimeouts = TIMEOUTS): Promise<void> {
  const transport = await openTransport(settings, timeouts);
  await transport.verify().finally(() => transport.close());
}

/** Most processes never send a mail, so the library is loaded by the first. */
async function openTransport(settings: MailSettings, timeouts: MailTimeouts) {
  const { default: nodemailer } = await import("nodemailer");
  const { account } = settings;
  return nodemailer.createTransport({
    host: settings.host,
    port: settings.port,
    secure: settings.implicitTls,
    requireTLS: !settings.implicitTls && settings.tlsNeeded,
    tls: { rejectUnauthorized: settings.checkCertificate },
    ...(account === null ? {} : { auth: { user: account.user, pass: account.pass }, authMethod: account.method }),
    connectionTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.idleMs,
    // Message content must not make nodemailer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
