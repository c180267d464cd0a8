import { limits as anthropicLimits } from "../anthropic-messages/limits";
import type { Limits } from "../common/limit";
import { sourcesOf } from "../pictures/media-sources";

/** What is lost when a request is translated for Claude on Bedrock. */
export const limits: Pick<Limits, "upstream"> = {
  upstream: [
    {
      field: "a picture or file by its address or by the id of an upload",
      becomes: "refused",
      param: "messages",
      note: "Bedrock takes bytes only; pictures are fetched before",
      applies: (request) => sourcesOf(request).some(({ type }) => type === "url" || type === "id"),
    },
    { field: "user", becomes: "dropped", note: "Bedrock has no field for it" },
    ...anthropicLimits.upstream.filter(({ field }) => !field.includes("by the id")),
  ],
};
