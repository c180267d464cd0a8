import { createHmac } from "node:crypto";
import { nowSeconds } from "@/lib/clock";
import { postJson } from "./request";
import type { Sender } from "./sender";

/** HMAC-SHA256 in hex. */
function sign(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

/**
 * A signed POST to an address of the owner's (docs/notifications.md). `X-Weir-Signature` covers the moment of sending and
 * the delivery's id, so a receiver can refuse what is old or was there before; `X-Webhook-Signature` is the plain one of
 * the body that older receivers check (contract §4.9).
 */
export const sendByWebhook: Sender<"webhook"> = async ({ url, secret }, message) => {
  const timestamp = nowSeconds();
  const body = JSON.stringify({
    type: message.wireType,
    title: message.title,
    content: message.content,
    values: message.values,
    timestamp: message.createdAt,
    url: message.url,
  });
  await postJson(url, {
    body,
    headers: {
      "x-webhook-signature": sign(secret, body),
      "x-weir-delivery": message.deliveryId,
      "x-weir-timestamp": String(timestamp),
      "x-weir-signature": `v1=${sign(secret, `${timestamp}.${message.deliveryId}.${body}`)}`,
    },
    trust: "public",
    secrets: [secret],
  });
};
