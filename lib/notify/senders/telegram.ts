import { DeliveryError } from "../delivery-error";
import { postJson, refusal } from "./request";
import { plainText, type Sender } from "./sender";

const TEXT_MAX = 4_096;

/** Sends by a Telegram bot, the owner's or the site's. No parse mode, so that the text is not interpreted. */
export const sendByTelegram: Sender<"telegram"> = async ({ chatId, botToken }, message, { options }) => {
  const token = botToken || options.TelegramBotToken;
  if (token === "") throw new DeliveryError({ messageKey: "notifyTelegramOff", permanent: true });
  const secrets = [token];
  const answer = await postJson(`${options.TelegramApiAddress}/bot${token}/sendMessage`, {
    body: {
      chat_id: chatId,
      text: [...plainText(message)].slice(0, TEXT_MAX).join(""),
      link_preview_options: { is_disabled: true },
    },
    trust: "operator",
    secrets,
  });
  if (answer.ok !== true) throw refusal(answer.error_code, answer.description, { secrets, rateLimited: false });
};
