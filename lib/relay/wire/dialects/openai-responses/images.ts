import { type Json, readText } from "../../canonical/json";
import { itemParts, itemsOf, partsOf, typeOf } from "./items";

/** The URL of an image part that would have to be fetched; "" = none. */
function remoteUrl({ type, image_url: url }: Json): string {
  return type === "input_image" && /^https?:/i.test(readText(url)) ? readText(url) : "";
}

/** One URL per image, including duplicates. */
export function imageUrls(json: Json): readonly string[] {
  return itemsOf(json)
    .flatMap(itemParts)
    .map(remoteUrl)
    .filter((url) => url !== "");
}

/** The request with image URLs replaced by data URLs. */
export function withImages(json: Json, dataUrls: ReadonlyMap<string, string>): Json {
  if (!Array.isArray(json.input)) return json;
  const inline = (part: Json): Json => {
    const url = dataUrls.get(remoteUrl(part));
    return url === undefined ? part : { ...part, image_url: url };
  };
  const input = itemsOf(json).map((item) => {
    const key = typeOf(item) === "message" ? "content" : "output";
    return Array.isArray(item[key]) ? { ...item, [key]: partsOf(item[key]).map(inline) } : item;
  });
  return { ...json, input };
}
