import { isBinaryFile, isPictureOrSound, isUploadedImage, somePart, someUserPart } from "../common/request-parts";
import type { UpstreamOnly } from "../dialect";
import { isMultimodal } from "./models";

/** What is lost when a request is translated for this format. The model in it must be the upstream's. */
export const limits: UpstreamOnly["limits"] = {
  upstream: [
    {
      field: "pictures and sound for a model that reads only text",
      becomes: "refused",
      param: "messages",
      note: "Qwen-VL, QVQ and Qwen-Audio read them",
      applies: (request) => !isMultimodal(request.model) && someUserPart(request, isPictureOrSound),
    },
    {
      field: "a picture by the id of another upstream's upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it",
      applies: (request) => somePart(request, isUploadedImage),
    },
    {
      field: "a file that is not plain text",
      becomes: "refused",
      param: "messages",
      note: "this format takes no files",
      applies: (request) => somePart(request, isBinaryFile),
    },
    { field: "frequencyPenalty, user", becomes: "dropped", note: "this format has no such fields" },
    { field: "strict of a tool, detail of a picture", becomes: "dropped", note: "this format has no such fields" },
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    { field: "thinking in history", becomes: "dropped", note: "the models read only what they answered" },
    { field: "a thinking effort", becomes: "rewritten", note: "to enable_thinking and its budget" },
    { field: "seed below 0 or from 2^31 on", becomes: "rewritten", note: "to one between, the same each time" },
    { field: "temperature from 2 on", becomes: "rewritten", note: "to 1.99, because it must be less" },
    {
      field: "pictures in a tool's result",
      becomes: "rewritten",
      note: "to a message of the user behind the results, or a remark for a model that reads only text",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to a text part between document tags" },
    { field: "an empty message of the user", becomes: "rewritten", note: "to three dots" },
    { field: "developer messages", becomes: "rewritten", note: "to system messages" },
  ],
};
