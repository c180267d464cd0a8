import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import type { OptionValues } from "@/lib/option/registry";

/** The mail server settings from the SMTP options (contract §9.3). */
export type MailSettings = {
  host: string;
  port: number;
  /** TLS from the first byte; else STARTTLS. */
  implicitTls: boolean;
  /** Refuse an unencrypted connection. */
  tlsNeeded: boolean;
  checkCertificate: boolean;
  account: { user: string; pass: string; method: "PLAIN" | "LOGIN" } | null;
  from: { name: string; address: string };
};

type MailOptions = Pick<
  OptionValues,
  "SMTPServer" | "SMTPPort" | "SMTPAccount" | "SMTPFrom" | "SMTPToken" | "SMTPSSLEnabled" | "SystemName"
>;

const IMPLICIT_TLS_PORT = 465;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Throws unavailable when server or sender are not configured. */
export function toMailSettings(options: MailOptions): MailSettings {
  const { SMTPServer: host, SMTPPort: port, SMTPAccount: user, SMTPToken: pass } = options;
  const address = options.SMTPFrom || user;
  if (host === "" || !address.includes("@")) throw new AppError("unavailable", "mailNotConfigured");
  const account = user === "" || pass === "" ? null : { user, pass, method: methodOf(host, user) };
  return {
    host,
    port,
    implicitTls: port === IMPLICIT_TLS_PORT || options.SMTPSSLEnabled,
    // A password is never sent unencrypted over a network, even if an attacker removes the STARTTLS offer.
    tlsNeeded: account !== null && !LOOPBACK.test(host),
    checkCertificate: !env().WEIR_SMTP_INSECURE,
    account,
    from: { name: options.SystemName.replace(/\p{Cc}+/gu, " "), address },
  };
}

/** Microsoft's services accept LOGIN only (contract §9.3). */
function methodOf(host: string, user: string): "PLAIN" | "LOGIN" {
  const microsoft = /outlook|onmicrosoft/i.test(user) || host.toLowerCase() === "smtp.azurecomm.net";
  return microsoft ? "LOGIN" : "PLAIN";
}
