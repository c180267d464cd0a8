import type { Mail } from "@/lib/mail/transport";
import type { OptionValues } from "@/lib/option/registry";
import type { OutgoingMessage } from "../message";
import type { TargetConfig, TargetKind } from "../target-kinds";

/** Throws when the mail server did not accept the message. */
export type SendMail = (mail: Mail) => Promise<void>;

/** What a sender may use besides the target's own configuration. */
export type SenderContext = {
  options: OptionValues;
  /** The account's e-mail address; "" when it has none. */
  accountEmail: string;
  sendMail: SendMail;
};

/**
 * Sends one message to one target. Resolves when the receiver has confirmed it; throws DeliveryError otherwise. The
 * message is untrusted plain text: each sender escapes it for its service.
 */
export type Sender<Kind extends TargetKind> = (
  config: TargetConfig<Kind>,
  message: OutgoingMessage,
  context: SenderContext,
) => Promise<void>;

/** Title, content and, if there is one, the link as plain text. */
export function plainText({ title, content, url }: OutgoingMessage): string {
  return [title, "", content, ...(url === null ? [] : ["", url])].join("\n");
}

/** Cuts text to at most `bytes` UTF-8 bytes, at a character boundary. */
export function cutBytes(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  const cut = new TextDecoder().decode(whole.subarray(0, bytes - 3)).replace(/\uFFFD+$/, "");
  return `${cut}…`;
}
