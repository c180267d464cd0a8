import { postJson, refusal } from "./request";
import type { Sender } from "./sender";

/** Sends to an iPhone through Bark, by the public server or the owner's own. */
export const sendByBark: Sender<"bark"> = async ({ server, key }, message, { options }) => {
  const secrets = [key];
  const answer = await postJson(`${server || options.BarkAddress}/push`, {
    body: {
      device_key: key,
      title: message.title,
      body: message.content,
      ...(message.url === null ? {} : { url: message.url }),
      group: message.siteName,
    },
    trust: server === "" ? "operator" : "public",
    secrets,
  });
  if (answer.code !== 200) throw refusal(answer.code, answer.message, { secrets, rateLimited: false });
};
