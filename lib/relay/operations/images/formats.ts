import type { UpstreamMedia } from "../media/media-kind";
import type { ImageRequest } from "./image-request";

/** Formats of pictures besides OpenAI's, by id. */
export const IMAGE_FORMATS: ReadonlyMap<string, UpstreamMedia<ImageRequest>> = new Map([]);
