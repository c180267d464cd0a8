import { egressFetch } from "@/lib/egress";
import { proxyFor } from "@/lib/egress/outgoing-proxy";
import { toMailSettings } from "@/lib/mail/settings";
import { renderMail } from "@/lib/mail/template";
import { transmit, verifyTransport } from "@/lib/mail/transport";
import type { loadOptions } from "@/lib/option/queries";
import { type Finding, messageOf, ok, problem, warning } from "./finding";

const WAIT_MS = 8_000;

/** A call to the outside through the client that relays use, and the clock by its Date header. */
export async function checkEgress(url: string): Promise<Finding[]> {
  const proxied = proxyFor(new URL(url)) === "" ? "" : " (through the proxy of the environment)";
  try {
    const { headers } = await egressFetch(url, { timeoutMs: WAIT_MS, trust: "operator" });
    const date = Date.parse(headers.date ?? "");
    const found = [ok("egress", `${new URL(url).host} answers${proxied}`)];
    if (Number.isNaN(date)) return found;
    const apart = Math.round(Math.abs(Date.now() - date) / 1_000);
    const text = `${apart} s apart from ${new URL(url).host}'s`;
    found.push(
      apart <= 5
        ? ok("clock outside", text)
        : problem("clock outside", text, "Synchronise this machine's clock (NTP)."),
    );
    return found;
  } catch (error) {
    const advice = "Allow outgoing HTTPS to your providers (firewall, DNS). Nothing else needs the outside.";
    return [warning("egress", `${new URL(url).host}: ${messageOf(error)}${proxied}`, advice)];
  }
}

/** Greets the mail server, with TLS and account as saved. Sends something only to `mailTo`. */
export async function checkMail(
  options: Awaited<ReturnType<typeof loadOptions>>,
  mailTo: string | undefined,
): Promise<Finding> {
  if (options.SMTPServer === "") return ok("mail", "no mail server is set up");
  const settings = toMailSettings(options);
  const name = `${settings.host}:${settings.port}`;
  try {
    if (mailTo !== undefined) {
      const texts = {
        locale: "en",
        siteName: options.SystemName,
        subject: "Weir: test",
        paragraphs: ["weir doctor"],
      } as const;
      await transmit(settings, { to: mailTo, ...renderMail(texts) });
      return ok("mail", `${name} took a message for ${mailTo}`);
    }
    await verifyTransport(settings, { connectMs: WAIT_MS, greetingMs: WAIT_MS, idleMs: WAIT_MS });
    return ok("mail", `${name} answers and takes the account`);
  } catch (error) {
    return problem("mail", `${name}: ${messageOf(error)}`, "Look at Settings, Mail: server, port, account, TLS.");
  }
}
