import { postJson, refusal } from "./request";
import type { Sender } from "./sender";

/** From priority 4 a phone makes a sound. */
const PRIORITY = 5;

/** Sends to the owner's Gotify server, with an application token. */
export const sendByGotify: Sender<"gotify"> = async ({ server, token }, message) => {
  const secrets = [token];
  const answer = await postJson(`${server}/message`, {
    headers: { "x-gotify-key": token },
    body: {
      title: message.title,
      message: message.content,
      priority: PRIORITY,
      ...(message.url === null ? {} : { extras: { "client::notification": { click: { url: message.url } } } }),
    },
    trust: "public",
    secrets,
  });
  // Any web server may answer 200; only Gotify returns a message id.
  if (typeof answer.id !== "number") throw refusal("?", "not a Gotify server", { secrets, rateLimited: false });
};
