import { postJson } from "./request";
import type { Sender } from "./sender";

const TITLE_MAX = 256;
const DESCRIPTION_MAX = 4_096;

/** Discord interprets Markdown and mentions in embeds. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@-]/g, "\\$&");
}

/** Sends to the webhook of a Discord channel, which returns 204 without a body. Mentions are disabled. */
export const sendByDiscord: Sender<"discord"> = async ({ webhook }, message, { options }) => {
  await postJson(`${options.DiscordAddress}/api/webhooks/${webhook}`, {
    body: {
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: escapeMarkdown(message.title).slice(0, TITLE_MAX),
          description: escapeMarkdown(message.content).slice(0, DESCRIPTION_MAX),
          ...(message.url === null ? {} : { url: message.url }),
          timestamp: new Date(message.createdAt * 1000).toISOString(),
        },
      ],
    },
    trust: "operator",
    secrets: [webhook, webhook.split("/")[1] ?? ""],
  });
};
