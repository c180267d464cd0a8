import { postJson, refusal } from "./request";
import type { Sender } from "./sender";

/** From 4 on a phone makes a sound. */
const PRIORITY = 5;

/** To a Gotify server of the owner's, with the token of an application there. */
export const sendByGotify: Sender<"gotify"> = async ({ server, token }, message) => {
  const secrets = [token];
  const answer = await postJson(`${server}/message`, {
    headers: { "x-gotify-key": token },
    body: {
      title: message.title,
      message: message.content,
      priority: PRIORITY,
      extras: { "client::notification": { click: { url: message.url } } },
    },
    trust: "public",
    secrets,
  });
  // Any web page answers 200; only Gotify gives the message its number.
  if (typeof answer.id !== "number") throw refusal("?", "not a Gotify server", { secrets, rateLimited: false });
};
