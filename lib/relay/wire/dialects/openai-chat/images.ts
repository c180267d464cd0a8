import { type Json, readArray, readObject, readText } from "../../canonical/json";

/** The URL of an image part that would have to be fetched; "" = none. */
function remoteUrl(part: unknown): string {
  const { type, image_url: image } = readObject(part);
  if (type !== "image_url") return "";
  const url = readText(image) || readText(readObject(image).url);
  return /^https?:/i.test(url) ? url : "";
}

/** One URL per image, including duplicates. */
export function imageUrls(json: Json): readonly string[] {
  return readArray(json.messages)
    .flatMap((message) => readArray(readObject(message).content))
    .map(remoteUrl)
    .filter((url) => url !== "");
}

/** The request with image URLs replaced by data URLs. */
export function withImages(json: Json, dataUrls: ReadonlyMap<string, string>): Json {
  const inline = (part: unknown): unknown => {
    const url = dataUrls.get(remoteUrl(part));
    if (url === undefined) return part;
    const given = readObject(part);
    return { ...given, image_url: { ...readObject(given.image_url), url } };
  };
  const messages = readArray(json.messages).map((message) => {
    const { content } = readObject(message);
    return Array.isArray(content) ? { ...readObject(message), content: content.map(inline) } : message;
  });
  return { ...json, messages };
}
