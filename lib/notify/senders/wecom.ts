import { postJson, refusal } from "./request";
import { cutBytes, plainText, type Sender } from "./sender";

/** Error code for more than 20 messages a minute. */
const TOO_FAST = 45_009;
const SYSTEM_BUSY = -1;
const TEXT_MAX_BYTES = 2_048;

/** Sends to a WeCom group robot. */
export const sendByWeCom: Sender<"wecom"> = async ({ key }, message, { options }) => {
  const secrets = [key];
  const { errcode, errmsg } = await postJson(
    `${options.WeComAddress}/cgi-bin/webhook/send?${new URLSearchParams({ key })}`,
    {
      body: { msgtype: "text", text: { content: cutBytes(plainText(message), TEXT_MAX_BYTES) } },
      trust: "operator",
      secrets,
    },
  );
  const rateLimited = errcode === TOO_FAST;
  if (errcode !== 0) throw refusal(errcode, errmsg, { secrets, rateLimited, passing: errcode === SYSTEM_BUSY });
};
