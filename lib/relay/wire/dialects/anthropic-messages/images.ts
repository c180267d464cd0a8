import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { readSource } from "../pictures/data-url";
import { allBlocks, blocksOf } from "./blocks";

/** The URL of an image block that would have to be fetched; "" = none. */
function remoteUrl({ type, source }: Json): string {
  const { type: kind, url } = readObject(source);
  return type === "image" && kind === "url" ? readText(url) : "";
}

/** One URL per image, including duplicates. */
export function imageUrls(json: Json): readonly string[] {
  return readArray(json.messages)
    .flatMap(allBlocks)
    .map(remoteUrl)
    .filter((url) => url !== "");
}

/** The request with image URLs replaced by inline images. */
export function withImages(json: Json, dataUrls: ReadonlyMap<string, string>): Json {
  const inline = (block: Json): Json => {
    if (block.type === "tool_result" && Array.isArray(block.content)) {
      return { ...block, content: blocksOf(block.content).map(inline) };
    }
    const data = dataUrls.get(remoteUrl(block));
    const source = data === undefined ? null : readSource(data, "messages");
    if (source?.type !== "base64") return block;
    return { ...block, source: { type: "base64", media_type: source.mediaType, data: source.data } };
  };
  const messages = readArray(json.messages).map((message) => {
    const { content } = readObject(message);
    return Array.isArray(content) ? { ...readObject(message), content: blocksOf(content).map(inline) } : message;
  });
  return { ...json, messages };
}
