import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AppError } from "@/lib/errors";
import { defaultOptions } from "@/lib/option/registry";
import { type MailServer, type MailServerSettings, startMailServer } from "@/lib/testing/mail-server";
import { resetMail, verificationMail } from "./account-mails";
import { toMailSettings } from "./settings";
import { renderMail } from "./template";
import { type Mail, transmit } from "./transport";

const account = { user: "postmaster@weir.example", pass: "swordfish" };
const mail: Mail = { to: "reader@weir.example", subject: "Hello", text: "plain", html: "<p>rich</p>" };
const servers: MailServer[] = [];

async function serve(settings: MailServerSettings = {}): Promise<MailServer> {
  const server = await startMailServer(settings);
  servers.push(server);
  return server;
}

function settingsOf(port: number, given: Partial<ReturnType<typeof defaultOptions>> = {}) {
  const options = { ...defaultOptions(), SMTPServer: "127.0.0.1", SMTPPort: port, SMTPFrom: "weir@weir.example" };
  return toMailSettings({ ...options, ...given });
}

const withAccount = { SMTPAccount: account.user, SMTPToken: account.pass };

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.messageKey : String(error);
}

beforeEach(() => vi.stubEnv("WEIR_SMTP_INSECURE", "true"));
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

describe("handing over to a mail server", () => {
  test("STARTTLS is used where it is offered, and the account signs in behind it", async () => {
    const server = await serve({ account });
    await transmit(settingsOf(server.port, withAccount), mail);
    const got = server.latestTo(mail.to);
    expect([got.encrypted, got.user, got.authMethod]).toEqual([true, account.user, "PLAIN"]);
    expect([got.from, got.mail.text?.trim(), got.mail.html?.trim()]).toEqual([
      "weir@weir.example",
      "plain",
      "<p>rich</p>",
    ]);
  });

  test("with SMTPSSLEnabled TLS begins with the first byte", async () => {
    const server = await serve({ implicitTls: true });
    await transmit(settingsOf(server.port, { SMTPSSLEnabled: true }), mail);
    expect(server.latestTo(mail.to).encrypted).toBe(true);
  });

  test("port 465 means TLS from the first byte, other ports do not", () => {
    expect([settingsOf(465).implicitTls, settingsOf(587).implicitTls]).toEqual([true, false]);
  });

  test("several receivers are separated by ;", async () => {
    const server = await serve();
    await transmit(settingsOf(server.port), { ...mail, to: "one@weir.example; two@weir.example;" });
    expect(server.received.at(-1)?.to).toEqual(["one@weir.example", "two@weir.example"]);
  });

  test("Microsoft's services are signed in to by LOGIN, everything else by PLAIN", async () => {
    const methodOf = (user: string, host = "smtp.example.com") =>
      settingsOf(587, { SMTPServer: host, SMTPAccount: user, SMTPToken: "x" }).account?.method;
    expect(methodOf("me@outlook.com")).toBe("LOGIN");
    expect(methodOf("me@contoso.onmicrosoft.com")).toBe("LOGIN");
    expect(methodOf("me@example.com", "smtp.azurecomm.net")).toBe("LOGIN");
    expect(methodOf("me@example.com")).toBe("PLAIN");
    const user = "me@outlook.com";
    const server = await serve({ account: { user, pass: "x" } });
    await transmit(settingsOf(server.port, { SMTPAccount: user, SMTPToken: "x" }), mail);
    expect(server.latestTo(mail.to).authMethod).toBe("LOGIN");
  });

  test("the sender is SMTPFrom, else the account, under the name of the system", async () => {
    const server = await serve({ account });
    const settings = settingsOf(server.port, { ...withAccount, SMTPFrom: "", SystemName: "我的网关" });
    await transmit(settings, { ...mail, subject: "验证码 🔑" });
    const { mail: got } = server.latestTo(mail.to);
    expect(got.from).toEqual({ name: "我的网关", address: account.user });
    expect(got.subject).toBe("验证码 🔑");
  });

  test("no line break gets into a header, whatever subject or system name hold", async () => {
    const server = await serve();
    const settings = settingsOf(server.port, { SystemName: "Weir\r\nBcc: thief@weir.example" });
    await transmit(settings, { ...mail, subject: "Hi\r\nBcc: thief@weir.example\r\n\r\nbody" });
    const got = server.latestTo(mail.to);
    expect(got.to).toEqual([mail.to]);
    expect(got.mail.headers.map(({ key }) => key)).not.toContain("bcc");
  });
});

describe("refusals say what is wrong", () => {
  test("no server or sender: mail is not set up", () => {
    expect(() => settingsOf(587, { SMTPServer: "" })).toThrow("mailNotConfigured");
    expect(() => settingsOf(587, { SMTPFrom: "" })).toThrow("mailNotConfigured");
  });

  test("a certificate signed by nobody known is refused unless the environment says otherwise", async () => {
    const [starttls, implicit] = [await serve(), await serve({ implicitTls: true })];
    vi.stubEnv("WEIR_SMTP_INSECURE", "");
    expect(await refusal(transmit(settingsOf(starttls.port), mail))).toBe("mailInsecure");
    expect(await refusal(transmit(settingsOf(implicit.port, { SMTPSSLEnabled: true }), mail))).toBe("mailInsecure");
    expect([...starttls.received, ...implicit.received]).toEqual([]);
  });

  test("a password never goes over a network in the clear", async () => {
    const server = await serve({ account, plainOnly: true });
    expect(settingsOf(587, { ...withAccount, SMTPServer: "mail.example.com" }).tlsNeeded).toBe(true);
    const settings = { ...settingsOf(server.port, withAccount), tlsNeeded: true };
    expect(await refusal(transmit(settings, mail))).toBe("mailInsecure");
    expect(server.received).toEqual([]);
  });

  test("a wrong password", async () => {
    const server = await serve({ account });
    const settings = settingsOf(server.port, { ...withAccount, SMTPToken: "wrong" });
    expect(await refusal(transmit(settings, mail))).toBe("mailAuthFailed");
  });

  test("a refused receiver, even when another one was taken", async () => {
    const server = await serve({ refuse: ["nobody@weir.example"] });
    const settings = settingsOf(server.port);
    expect(await refusal(transmit(settings, { ...mail, to: "nobody@weir.example" }))).toBe("mailRejected");
    expect(await refusal(transmit(settings, { ...mail, to: "reader@weir.example;nobody@weir.example" }))).toBe(
      "mailRejected",
    );
  });

  test.each(["", ";", "no-at-sign", "a@b@c", "a b@c.example", "a@b.example,c@d.example", "<a@b.example>"])(
    "text that is no address is not sent to: %s",
    async (to) => {
      expect(await refusal(transmit(settingsOf(1), { ...mail, to }))).toBe("mailReceiverInvalid");
    },
  );

  test("a server that is not there", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    expect(await refusal(transmit(settingsOf(port), mail))).toBe("mailUnreachable");
  });

  test("a server that says nothing is given up after the time allowed", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as AddressInfo;
    const timeouts = { connectMs: 200, greetingMs: 200, idleMs: 200 };
    expect(await refusal(transmit(settingsOf(port), mail, timeouts))).toBe("mailUnreachable");
    silent.close();
  });
});

describe("what messages say", () => {
  const common = { siteName: "Weir", minutes: 10 };

  test("code and link stand in text and HTML, in both languages (A188, B305)", () => {
    for (const locale of ["zh", "en"] as const) {
      const code = verificationMail({ ...common, locale, code: "ABC234" });
      const reset = resetMail({ ...common, locale, url: "https://weir.example/user/reset?email=a%40b&token=t" });
      for (const body of [code.text, code.html]) expect(body).toContain("ABC234");
      for (const body of [code.text, code.html, reset.text, reset.html]) expect(body).toContain("10");
      expect(reset.text).toContain("https://weir.example/user/reset?email=a%40b&token=t");
      expect(reset.html).toContain('href="https://weir.example/user/reset?email=a%40b&amp;token=t"');
      const chinese = /\p{Script=Han}/u;
      expect([code, reset].map(({ subject, html }) => chinese.test(subject + html))).toEqual(
        Array(2).fill(locale === "zh"),
      );
    }
  });

  test("nothing that a name or text holds becomes markup, and no argument is read as a place", () => {
    const hostile = `<img src=x onerror=alert(1)>"'&{minutes}`;
    const { html } = renderMail({
      locale: "en",
      siteName: hostile,
      subject: hostile,
      paragraphs: [hostile],
      code: hostile,
      link: { url: 'https://weir.example/"><script>', label: hostile },
    });
    expect(html).not.toMatch(/<img|<script|onerror=alert\(1\)>"/);
    expect(html).toContain("{minutes}");
  });
});
