import { renderMail } from "@/lib/mail/template";
import { DeliveryError } from "../delivery-error";
import type { Sender } from "./sender";

/** Sends to the target's address if its owner has confirmed it, or to the account's if the target has none. */
export const sendByEmail: Sender<"email"> = async (config, message, { accountEmail, options, sendMail }) => {
  const to = config.address || accountEmail;
  const isProved = to === config.confirmed || to.toLowerCase() === accountEmail.toLowerCase();
  if (!isProved) throw new DeliveryError({ messageKey: "notifyUnconfirmed", permanent: true });
  if (to === "") throw new DeliveryError({ messageKey: "notifyNoAddress", permanent: true });
  if (options.SMTPServer === "") throw new DeliveryError({ messageKey: "notifyMailOff", permanent: true });
  const mail = renderMail({
    locale: message.locale,
    siteName: message.siteName,
    subject: message.title,
    paragraphs: message.content.split("\n"),
    ...(message.url === null ? {} : { link: { url: message.url, label: message.urlLabel } }),
  });
  const host = message.url !== null && URL.canParse(message.url) ? new URL(message.url).hostname : "weir";
  await sendMail({ ...mail, to, messageId: `<weir-notification-${message.deliveryId}@${host}>` });
};
