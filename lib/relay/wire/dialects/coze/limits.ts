import type { ChatRequest } from "../../canonical/request";
import { applicationLimits } from "../common/application-limits";
import type { UpstreamOnly } from "../dialect";

/** The most messages that a request may have. */
export const MESSAGES_MAX = 100;

/** What is lost when a request is translated for this format. */
export const limits: UpstreamOnly["limits"] = {
  upstream: [
    ...applicationLimits,
    {
      field: "sound",
      becomes: "refused",
      param: "messages",
      note: "bots of this format cannot listen",
      applies: hasSound,
    },
    { field: "system and developer messages", becomes: "rewritten", note: "to a message of the user at the beginning" },
    {
      field: `more than ${MESSAGES_MAX} messages`,
      becomes: "rewritten",
      note: "the earliest ones become one, each under the name of its side",
    },
    {
      field: "a last message that is not the user's",
      becomes: "rewritten",
      note: "three dots follow, as the question",
    },
    { field: "pictures and files in base64", becomes: "rewritten", note: "to uploads, before the request is sent" },
    { field: "no user", becomes: "rewritten", note: "to one named anonymous, because there must be one" },
  ],
};

function hasSound({ messages }: ChatRequest): boolean {
  return messages.some(({ role, content }) => role === "user" && content.some(({ type }) => type === "audio"));
}
