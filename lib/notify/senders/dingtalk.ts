import { createHmac } from "node:crypto";
import { postJson, refusal } from "./request";
import { cutBytes, plainText, type Sender } from "./sender";

/** Error codes for more than 20 messages a minute. */
const TOO_FAST = new Set([130_101, 90_030, 410_100]);
const SYSTEM_BUSY = -1;
const TEXT_MAX_BYTES = 18_000;

/** Sends to a DingTalk group robot. With a secret the call is signed: HMAC of "timestamp(ms)\nsecret", keyed by the secret. */
export const sendByDingTalk: Sender<"dingtalk"> = async ({ token, secret }, message, { options }) => {
  const secrets = [token, secret];
  const query = new URLSearchParams({ access_token: token });
  if (secret !== "") {
    const timestamp = Date.now();
    query.set("timestamp", String(timestamp));
    query.set("sign", createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64"));
  }
  const { errcode, errmsg } = await postJson(`${options.DingTalkAddress}/robot/send?${query}`, {
    body: {
      msgtype: "text",
      text: { content: cutBytes(plainText(message), TEXT_MAX_BYTES) },
      at: { atMobiles: [], atUserIds: [], isAtAll: false },
    },
    trust: "operator",
    secrets,
  });
  const rateLimited = TOO_FAST.has(Number(errcode));
  if (errcode !== 0) throw refusal(errcode, errmsg, { secrets, rateLimited, passing: errcode === SYSTEM_BUSY });
};
