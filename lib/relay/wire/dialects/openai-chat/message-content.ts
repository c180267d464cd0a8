import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { pictureLink, pictureText } from "../pictures/answer-pictures";

/** Reads a response's content: a string, or a list of parts as some upstreams send it. */
export function contentTexts(content: unknown): { text: string; thinking: string } {
  if (typeof content === "string") return { text: content, thinking: "" };
  const found = { text: "", thinking: "" };
  for (const value of readArray(content)) {
    const part = readObject(value);
    if (part.type === "thinking") found.thinking += readText(part.thinking) || contentTexts(part.thinking).text;
    else found.text += pictureIn(part) ?? readText(part.text);
  }
  return found;
}

/** A part with a picture, as the Markdown that stands for it; null = it has none. */
export function pictureIn({ image_url: image, url, b64_json: bytes }: Json): string | null {
  const address = readText(image) || readText(readObject(image).url) || readText(url);
  if (address !== "") return pictureLink(address);
  return readText(bytes) === "" ? null : pictureText({ mediaType: "image/png", data: readText(bytes) });
}

/**
 * What a model drew, beside its text, as OpenRouter, LiteLLM and others have it; "" = nothing.
 * https://openrouter.ai/docs/features/multimodal/image-generation
 */
export function drawnPictures({ images }: Json): string {
  return readArray(images)
    .flatMap((image) => pictureIn(readObject(image)) ?? [])
    .join("");
}
