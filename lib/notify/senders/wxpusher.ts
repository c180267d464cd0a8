import { DeliveryError } from "../delivery-error";
import { type Answer, postJson, refusal } from "./request";
import { plainText, type Sender } from "./sender";

const DONE = 1_000;
const TEXT = 1;
/** What WeChat shows in the list of messages. */
const SUMMARY_MAX = 20;

/** Through WxPusher to the WeChat account that was bound. Both the whole and the one receiver must say "done". */
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
      url: message.url,
    },
    trust: "operator",
    secrets,
  });
  const receivers = Array.isArray(answer.data) ? (answer.data as Answer[]) : [];
  for (const { code, msg, status } of [answer, ...receivers]) {
    if (code !== DONE) throw refusal(code, msg ?? status, { secrets, rateLimited: false, passing: true });
  }
};
