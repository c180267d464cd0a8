import { DeliveryError } from "../delivery-error";
import { type Answer, postJson, refusal } from "./request";
import { plainText, type Sender } from "./sender";

const DONE = 1_000;
const TEXT = 1;
/** Maximum length of the text in WeChat's list of messages. */
const SUMMARY_MAX = 20;

/** Sends through WxPusher to the bound WeChat account. Both the response and its entry for the recipient must report success. */
export const sendByWxPusher: Sender<"wxpusher"> = async ({ uid }, message, { options }) => {
  const appToken = options.WxPusherAppToken;
  if (appToken === "") throw new DeliveryError({ messageKey: "notifyWxPusherOff", permanent: true });
  const secrets = [appToken];
  const answer = await postJson(`${options.WxPusherAddress}/api/send/message`, {
    body: {
      appToken,
      content: plainText(message),
      summary: [...message.title].slice(0, SUMMARY_MAX).join(""),
      contentType: TEXT,
      uids: [uid],
      ...(message.url === null ? {} : { url: message.url }),
    },
    trust: "operator",
    secrets,
  });
  const receivers = Array.isArray(answer.data) ? (answer.data as Answer[]) : [];
  for (const { code, msg, status } of [answer, ...receivers]) {
    if (code !== DONE) throw refusal(code, msg ?? status, { secrets, rateLimited: false, passing: true });
  }
};
