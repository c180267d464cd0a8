import { createHmac } from "node:crypto";
import { nowSeconds } from "@/lib/clock";
import { postJson, refusal } from "./request";
import { cutBytes, type Sender } from "./sender";

/** Error code for more than 5 messages a second or 100 a minute. */
const TOO_FAST = 11_232;
const TEXT_MAX_BYTES = 18_000;

/**
 * Sends to a Feishu group robot. With a secret the call is signed: HMAC of the empty string, keyed by
 * "timestamp(s)\nsecret". A post of plain elements, because in a text message `<at user_id="all">` would mention
 * everybody.
 */
export const sendByFeishu: Sender<"feishu"> = async ({ hook, secret }, message, { options }) => {
  const secrets = [hook, secret];
  const timestamp = String(nowSeconds());
  const signature = createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64");
  const lines = cutBytes(message.content, TEXT_MAX_BYTES).split("\n");
  const answer = await postJson(`${options.FeishuAddress}/open-apis/bot/v2/hook/${hook}`, {
    body: {
      ...(secret === "" ? {} : { timestamp, sign: signature }),
      msg_type: "post",
      content: {
        post: {
          zh_cn: {
            title: message.title,
            content: [
              ...lines.map((text) => [{ tag: "text", text }]),
              ...(message.url === null ? [] : [[{ tag: "a", text: message.urlLabel, href: message.url }]]),
            ],
          },
        },
      },
    },
    trust: "operator",
    secrets,
  });
  // Older robots return StatusCode and StatusMessage.
  const code = answer.code ?? answer.StatusCode;
  const rateLimited = code === TOO_FAST;
  if (code !== 0) throw refusal(code, answer.msg ?? answer.StatusMessage, { secrets, rateLimited });
};
