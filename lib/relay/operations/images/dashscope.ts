import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../../dialects/defined";
import { readTaskId } from "../../tasks/upstream-words";
import type { UpstreamMedia } from "../media/media-kind";
import type { ImageRequest } from "./image-request";
import { type Picture, pictureAnswer, refuseBytes, refuseStream, sidesOf } from "./picture-answer";

const PATH = "/api/v1/services/aigc/text2image/image-synthesis";
/** UNKNOWN = the task is not there, https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference. */
const FAILED = new Set(["FAILED", "CANCELED", "CANCELLED", "UNKNOWN"]);

const stateOf = ({ output }: Json): string => readText(readObject(output).task_status).toUpperCase();

/** Alibaba's DashScope draws while it is asked for the result (contract §6.8). */
export const dashscopeImages: UpstreamMedia<ImageRequest> = {
  encode(request, model) {
    refuseStream(request);
    refuseBytes(request);
    const { prompt, count, files, pictures } = request;
    if (files.length + pictures.length > 0)
      throw new InvalidRequest("the model's upstream changes no pictures", "image");
    const sides = sidesOf(request);
    const parameters = defined({ size: sides ? `${sides.width}*${sides.height}` : undefined, n: count });
    const body = Buffer.from(JSON.stringify({ model, input: { prompt }, parameters }));
    return { path: PATH, body, headers: ["x-dashscope-async", "enable"] };
  },
  pending: {
    readId: (json) => readTaskId(json, readObject(json.output).task_id),
    path: (id) => `/api/v1/tasks/${encodeURIComponent(id)}`,
    stateOf: (json) => (stateOf(json) === "SUCCEEDED" ? "made" : FAILED.has(stateOf(json)) ? "failed" : "running"),
  },
  decode({ output }, request, facts) {
    const pictures = readArray(readObject(output).results).flatMap((item): Picture[] => {
      const { url, actual_prompt: words } = readObject(item);
      return readText(url) === ""
        ? []
        : [{ url: readText(url), ...(readText(words) ? { words: readText(words) } : {}) }];
    });
    return pictureAnswer(pictures, request, facts);
  },
  hasFailed: (json) => stateOf(json) !== "SUCCEEDED",
};
