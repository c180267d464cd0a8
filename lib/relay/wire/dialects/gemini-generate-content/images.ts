import type { Json } from "../../canonical/json";
import { readObject } from "../../canonical/json";
import { readSource } from "../pictures/data-url";
import { allParts, contentsOf, field, partsOf } from "./fields";
import { mediaOf } from "./media";

/** The URL of an image that would have to be fetched; "" = none. */
function remoteUrl(part: Json): string {
  const media = mediaOf(part);
  if (media?.source.type !== "url" || !media.mediaType.startsWith("image/")) return "";
  return /^https?:/i.test(media.source.url) ? media.source.url : "";
}

/** One URL per image, including duplicates. */
export function imageUrls(json: Json): readonly string[] {
  return allParts(json)
    .map(remoteUrl)
    .filter((url) => url !== "");
}

/** The request with image URLs replaced by inline images. */
export function withImages(json: Json, dataUrls: ReadonlyMap<string, string>): Json {
  if (dataUrls.size === 0) return json;
  const inline = (part: Json): Json => {
    const result = field(part, "functionResponse");
    if (result !== undefined && partsOf(result).length > 0) {
      const { functionResponse: _, function_response: __, ...rest } = part;
      return { ...rest, functionResponse: { ...readObject(result), parts: partsOf(result).map(inline) } };
    }
    const data = dataUrls.get(remoteUrl(part));
    const source = data === undefined ? null : readSource(data, "contents");
    if (source?.type !== "base64") return part;
    const { fileData: _, file_data: __, ...rest } = part;
    return { ...rest, inlineData: { mimeType: source.mediaType, data: source.data } };
  };
  const contents = contentsOf(json).map((content) => ({
    ...readObject(content),
    parts: partsOf(content).map(inline),
  }));
  return { ...json, contents };
}
