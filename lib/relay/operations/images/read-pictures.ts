import { addUsage, type ReadFacts } from "../../answers/media/media-facts";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { readCount } from "../../wire/canonical/usage";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";

/** An event with a sketch of a picture that is still being drawn. All other events with a picture deliver it. */
const IS_SKETCH = /\.(partial_image|preview|in_progress|generating)$/;

/** One picture by any name that makers have for it: its bytes in base64, or where it is. */
function isPicture(item: unknown): boolean {
  if (typeof item === "string") return item !== "";
  const { b64_json: bytes, url, image_url: address, image_base64: base64, b64, image } = readObject(item);
  if ([bytes, url, address, base64, b64, image].some((text) => readText(text) !== "")) return true;
  return readText(readObject(address).url) !== "" || readText(readObject(image).url) !== "";
}

/**
 * The pictures of a whole answer, or of one event:
 * - `data`: OpenAI, xAI, Zhipu, Ark and most others; an item of Ark's that failed has an error in place of a picture;
 * - `data.image_urls`, `data.image_base64`: MiniMax (platform.minimax.io/docs/api-reference/image-generation-t2i);
 * - `images`: SiliconFlow (docs.siliconflow.com/en/api-reference/images/images-generations), which has `data` beside it;
 * - `output.results`, `output.choices`: DashScope (help.aliyun.com/zh/model-studio/qwen-image-api);
 * - the event itself: OpenAI's `.completed`, and Ark's and MiniMax's `.partial_succeeded` for each finished picture of a series
 *   (docs.byteplus.com/en/docs/ModelArk/1824137, platform.minimax.io/docs/api-reference/image-generation-h3-streaming).
 */
function picturesIn(json: Json): readonly unknown[] {
  const { data, images, output } = json;
  const { image_urls: addresses, image_base64: bytes } = readObject(data);
  const { results, choices } = readObject(output);
  const chosen = readArray(choices).flatMap((choice) => readArray(readObject(readObject(choice).message).content));
  const lists = [data, addresses, bytes, images, results, chosen].map((list) => readArray(list).filter(isPicture));
  // Where two lists are filled, they have the same pictures.
  const longest = lists.reduce((most, list) => (list.length > most.length ? list : most));
  if (longest.length > 0) return longest;
  const isAlone = readText(json.type) === "" ? readText(json.b64_json) !== "" : isPicture(json);
  return isAlone ? [json] : [];
}

export function hasPicture(json: Json): boolean {
  return picturesIn(json).length > 0;
}

/** Adds a whole answer, or an event: what reached the caller is counted, and as much as the maker says that it drew. */
export const readPictures: ReadFacts = (json, into) => {
  const pictures = IS_SKETCH.test(readText(json.type)) ? [] : picturesIn(json);
  const drawn = readCount(readObject(json.usage).generated_images) ?? 0;
  into.pictures = Math.max(into.pictures + pictures.length, drawn);
  into.size = readText(json.size) || readText(readObject(pictures[0]).size) || into.size;
  into.quality = readText(json.quality) || into.quality;
  addUsage(into, readOpenaiUsage(json.usage));
};
