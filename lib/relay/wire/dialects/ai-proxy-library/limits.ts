import type { ChatRequest } from "../../canonical/request";
import { applicationLimits } from "../common/application-limits";
import type { UpstreamOnly } from "../dialect";

/** What is lost when a request is translated for this format. */
export const limits: UpstreamOnly["limits"] = {
  upstream: [
    ...applicationLimits,
    {
      field: "pictures, sound and files that are not plain text",
      becomes: "refused",
      param: "messages",
      note: "this format has only text",
      applies: hasMedia,
    },
    { field: "user", becomes: "dropped", note: "this format has no such field" },
    { field: "the conversation", becomes: "rewritten", note: "to one query, each message under the name of its side" },
  ],
};

function hasMedia({ messages }: ChatRequest): boolean {
  return messages.some(
    ({ role, content }) =>
      role === "user" &&
      content.some((part) => part.type !== "text" && !(part.type === "file" && part.source.type === "text")),
  );
}
