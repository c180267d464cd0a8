import type { Mail } from "@/lib/mail/transport";
import type { OptionValues } from "@/lib/option/registry";
import type { OutgoingMessage } from "../message";
import type { TargetConfig, TargetKind } from "../target-kinds";

/** Sends one e-mail; throws when the server did not take it. */
export type SendMail = (mail: Mail) => Promise<void>;

/** What a sender may use beside the target's own configuration. */
export type SenderContext = {
  options: OptionValues;
  /** The account's own address, "" when it has none. */
  accountEmail: string;
  sendMail: SendMail;
};

/**
 * Brings one message to one target. Resolves when the receiver has confirmed it; throws DeliveryError otherwise. What the
 * message holds is plain text of anybody's: each sender escapes it for its medium.
 */
export type Sender<Kind extends TargetKind> = (
  config: TargetConfig<Kind>,
  message: OutgoingMessage,
  context: SenderContext,
) => Promise<void>;

/** Title, content and link as plain text. */
export function plainText({ title, content, url }: OutgoingMessage): string {
  return [title, "", content, "", url].join("\n");
}

/** The text cut to so many UTF-8 bytes, never within a character. */
export function cutBytes(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  const cut = new TextDecoder().decode(whole.subarray(0, bytes - 3)).replace(/\uFFFD+$/, "");
  return `${cut}…`;
}
