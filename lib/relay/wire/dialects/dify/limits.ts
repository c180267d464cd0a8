import { applicationLimits } from "../common/application-limits";
import type { UpstreamOnly } from "../dialect";

/** What is lost when a request is translated for this format. */
export const limits: UpstreamOnly["limits"] = {
  upstream: [
    ...applicationLimits,
    { field: "the conversation", becomes: "rewritten", note: "to one query, each message under the name of its side" },
    { field: "pictures, sound and files of earlier messages", becomes: "rewritten", note: "to files of the query" },
    {
      field: "pictures, sound and files in base64",
      becomes: "rewritten",
      note: "to uploads, before the request is sent",
    },
    { field: "no user", becomes: "rewritten", note: "to one named anonymous, because there must be one" },
  ],
};
