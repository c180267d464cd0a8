import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../../dialects/defined";
import { failsWithout } from "../documents/document-fields";
import type { UpstreamMedia } from "../media/media-kind";
import { numberOf, refuseOptions, wordOf } from "./image-options";
import type { ImageRequest } from "./image-request";
import { type Picture, pictureAnswer, refuseBytes, refuseStream } from "./picture-answer";

const picturesOf = ({ images, data }: Json): Picture[] =>
  readArray(images ?? data).flatMap((item): Picture[] => {
    const url = readText(readObject(item).url);
    return url === "" ? [] : [{ url }];
  });

const PICTURES_MAX = 3;
/** https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
const CARRIED = [
  ...(["image2", "image3", "negative_prompt", "negativePrompt", "seed", "num_inference_steps", "steps"] as const),
  ...(["guidance_scale", "cfg", "image_size"] as const),
];

/** SiliconFlow has OpenAI's path, and other names for the fields. */
export const siliconflowImages: UpstreamMedia<ImageRequest> = {
  encode(request, model) {
    refuseStream(request);
    refuseBytes(request);
    const { prompt, count, size, files, pictures } = request;
    refuseOptions(request, CARRIED);
    if (files.length > 0) throw new InvalidRequest("pictures must be addresses or data URLs for this model", "image");
    if (pictures.length > PICTURES_MAX) throw new InvalidRequest("there can be at most 3 pictures", "images");
    const body = defined({
      model,
      prompt,
      image_size: size ?? wordOf(request, "image_size"),
      batch_size: count > 1 ? count : undefined,
      image: pictures[0],
      image2: pictures[1] ?? wordOf(request, "image2"),
      image3: pictures[2] ?? wordOf(request, "image3"),
      negative_prompt: wordOf(request, "negative_prompt", "negativePrompt"),
      seed: numberOf(request, "seed"),
      num_inference_steps: numberOf(request, "num_inference_steps", "steps"),
      guidance_scale: numberOf(request, "guidance_scale"),
      cfg: numberOf(request, "cfg"),
    });
    return { path: "/v1/images/generations", body: Buffer.from(JSON.stringify(body)) };
  },
  decode: (json, request, facts) => pictureAnswer(picturesOf(json), request, facts),
  hasFailed: failsWithout((json) => picturesOf(json).length > 0),
};
