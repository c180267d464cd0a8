import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
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
const BATCH_MAX = 4;
/** https://docs.siliconflow.cn/docs/api/images-generations-post */
const CARRIED = [
  ...(["image2", "image3", "negative_prompt", "negativePrompt", "seed", "num_inference_steps", "steps"] as const),
  "cfg",
] as const;

type Shape = { image_size?: string; batch_size?: number; guidance_scale?: number };

/** What not every model takes: those that change pictures have no size, all others must be told one; Kolors alone draws several. */
function shapeOf(request: ImageRequest, model: string): Shape {
  const { count } = request;
  const size = request.size === "auto" ? null : request.size;
  const isKolors = /kolors/i.test(model);
  if (count > 1 && !isKolors) throw new InvalidRequest("n must be 1 for this model", "n");
  if (count > BATCH_MAX) throw new InvalidRequest(`n must be at most ${BATCH_MAX} for this model`, "n");
  const isEdit = /qwen-image-edit/i.test(model);
  refuseOptions(request, [
    ...CARRIED,
    ...(isEdit ? [] : (["image_size"] as const)),
    ...(isKolors ? (["guidance_scale"] as const) : []),
  ]);
  if (isEdit && size !== null) throw new InvalidRequest("the model's upstream has no size for pictures", "size");
  const usual = /qwen-image/i.test(model) ? "1328x1328" : "1024x1024";
  return defined({
    image_size: isEdit ? undefined : (size ?? wordOf(request, "image_size") ?? usual),
    batch_size: count > 1 ? count : undefined,
    guidance_scale: numberOf(request, "guidance_scale"),
  });
}

/** SiliconFlow has OpenAI's path, and other names for the fields. */
export const siliconflowImages: UpstreamMedia<ImageRequest> = {
  encode(request, model) {
    refuseStream(request);
    refuseBytes(request);
    const { prompt, files, pictures } = request;
    const shape = shapeOf(request, model);
    if (files.length > 0) throw new InvalidRequest("pictures must be addresses or data URLs for this model", "image");
    if (pictures.length > PICTURES_MAX) throw new InvalidRequest("there can be at most 3 pictures", "images");
    const body = defined({
      model,
      prompt,
      ...shape,
      image: pictures[0],
      image2: pictures[1] ?? wordOf(request, "image2"),
      image3: pictures[2] ?? wordOf(request, "image3"),
      negative_prompt: wordOf(request, "negative_prompt", "negativePrompt"),
      seed: numberOf(request, "seed"),
      num_inference_steps: numberOf(request, "num_inference_steps", "steps"),
      cfg: numberOf(request, "cfg"),
    });
    return { path: "/v1/images/generations", body: Buffer.from(JSON.stringify(body)) };
  },
  decode: (json, request, facts) => pictureAnswer(picturesOf(json), request, facts),
  hasFailed: failsWithout((json) => picturesOf(json).length > 0),
};
