import { createHmac } from "node:crypto";
import { nowSeconds } from "@/lib/clock";
import { workerOf } from "@/lib/egress/worker";
import { postJson } from "./request";
import type { Sender } from "./sender";

/** HMAC-SHA256 in hex. */
function sign(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

/**
 * Sends a signed POST to the owner's URL (docs/notifications.md). `X-Weir-Signature` covers the time of sending and the
 * delivery id, so a receiver can reject old and repeated messages; `X-Webhook-Signature` covers only the body, for
 * older receivers (contract §4.9). Through the worker of the site, if there is one; it gets the signatures, never the
 * secret.
 */
export const sendByWebhook: Sender<"webhook"> = async ({ url, secret }, message, { options }) => {
  const timestamp = nowSeconds();
  const body = JSON.stringify({
    type: message.wireType,
    title: message.title,
    content: message.content,
    values: message.values,
    timestamp: message.createdAt,
    url: message.url ?? "",
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
    worker: workerOf(options),
    secrets: [secret, options.WorkerValidKey],
  });
};
