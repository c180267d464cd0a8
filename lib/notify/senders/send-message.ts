import type { OutgoingMessage } from "../message";
import type { TargetConfig, TargetKind } from "../target-kinds";
import { sendByBark } from "./bark";
import { sendByDingTalk } from "./dingtalk";
import { sendByDiscord } from "./discord";
import { sendByEmail } from "./email";
import { sendByFeishu } from "./feishu";
import { sendByGotify } from "./gotify";
import type { Sender, SenderContext } from "./sender";
import { sendByTelegram } from "./telegram";
import { sendByWebhook } from "./webhook";
import { sendByWeCom } from "./wecom";
import { sendByWxPusher } from "./wxpusher";

const senders: { [Kind in TargetKind]: Sender<Kind> } = {
  email: sendByEmail,
  webhook: sendByWebhook,
  wxpusher: sendByWxPusher,
  bark: sendByBark,
  gotify: sendByGotify,
  dingtalk: sendByDingTalk,
  feishu: sendByFeishu,
  wecom: sendByWeCom,
  telegram: sendByTelegram,
  discord: sendByDiscord,
};

/**
 * Sends through the sender of the target's kind. Throws DeliveryError, or AppError of egress, when the receiver did not
 * accept it.
 */
export function sendMessage<Kind extends TargetKind>(
  kind: Kind,
  config: TargetConfig<Kind>,
  message: OutgoingMessage,
  context: SenderContext,
): Promise<void> {
  return senders[kind](config, message, context);
}
