import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../../dialects/defined";
import { failsWithout } from "../documents/document-fields";
import type { UpstreamMedia } from "../media/media-kind";
import type { ImageRequest } from "./image-request";
import { type Picture, pictureAnswer, refuseBytes, refuseStream } from "./picture-answer";

const picturesOf = ({ images, data }: Json): Picture[] =>
  readArray(images ?? data).flatMap((item): Picture[] => {
    const url = readText(readObject(item).url);
    return url === "" ? [] : [{ url }];
  });

/** SiliconFlow has OpenAI's path, and other names for the fields. */
export const siliconflowImages: UpstreamMedia<ImageRequest> = {
  encode(request, model) {
    refuseStream(request);
    refuseBytes(request);
    const { prompt, count, size, files, pictures } = request;
    if (files.length > 0) throw new InvalidRequest("pictures must be addresses or data URLs for this model", "image");
    const body = defined({
      model,
      prompt,
      image_size: size ?? undefined,
      batch_size: count > 1 ? count : undefined,
      image: pictures[0],
    });
    return { path: "/v1/images/generations", body: Buffer.from(JSON.stringify(body)) };
  },
  decode: (json, request, facts) => pictureAnswer(picturesOf(json), request, facts),
  hasFailed: failsWithout((json) => picturesOf(json).length > 0),
};
