import { isPolicyName } from "../../base/request-faults";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import type { UpstreamMedia } from "../media/media-kind";
import { readTaskId } from "../tasks/upstream-words";
import { numberOf, refuseOptions, wordOf } from "./image-options";
import type { ImageRequest } from "./image-request";
import { type Picture, pictureAnswer, refuseBytes, refuseStream, sidesOf } from "./picture-answer";

const PATH = "/api/v1/services/aigc/text2image/image-synthesis";
/** UNKNOWN = the task is not there, https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference. */
const FAILED = new Set(["FAILED", "CANCELED", "CANCELLED", "UNKNOWN"]);

/** https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference */
const CARRIED = ["seed", "style", "prompt_extend", "watermark", "negative_prompt", "negativePrompt"] as const;

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
    refuseOptions(request, CARRIED);
    const parameters = defined({
      size: sides ? `${sides.width}*${sides.height}` : undefined,
      n: count,
      seed: numberOf(request, "seed"),
      style: wordOf(request, "style"),
      prompt_extend: request.given.prompt_extend,
      watermark: request.given.watermark,
    });
    const input = defined({ prompt, negative_prompt: wordOf(request, "negative_prompt", "negativePrompt") });
    const body = Buffer.from(JSON.stringify({ model, input, parameters }));
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
  withheld: ({ output }) => {
    const { results, ...whole } = readObject(output);
    const given = [whole, ...readArray(results).map(readObject)];
    if (given.some(({ url }) => readText(url) !== "")) return null;
    const refused = given.find(({ code }) => isPolicyName(readText(code)));
    return refused ? readText(refused.message) || readText(refused.code) : null;
  },
  hasFailed: (json) => stateOf(json) !== "SUCCEEDED",
};
