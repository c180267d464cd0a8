import type { UpstreamMedia } from "../media/media-kind";
import { dashscopeImages } from "./dashscope";
import { googleImages } from "./google";
import type { ImageRequest } from "./image-request";
import { siliconflowImages } from "./siliconflow";

/** Formats of pictures besides OpenAI's, by id. */
export const IMAGE_FORMATS: ReadonlyMap<string, UpstreamMedia<ImageRequest>> = new Map([
  ["google", googleImages],
  ["dashscope", dashscopeImages],
  ["siliconflow", siliconflowImages],
]);
