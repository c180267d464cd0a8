import type { MediaFacts } from "../../answers/media/media-facts";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import type { DecodedMedia } from "../media/media-kind";
import type { ImageRequest } from "./image-request";

/** A picture as an upstream sent it: its bytes in base64, or where it is. */
export type Picture = { bytes: string; type: string; words?: string } | { url: string; words?: string };

/** OpenAI's answer; null = there is no picture. */
export function pictureAnswer(
  pictures: readonly Picture[],
  { answersWith }: ImageRequest,
  facts: MediaFacts,
): DecodedMedia | null {
  if (pictures.length === 0) return null;
  facts.pictures = pictures.length;
  const data = pictures.map((picture) => {
    const revised_prompt = picture.words;
    if ("url" in picture) return defined({ url: picture.url, revised_prompt });
    const { bytes, type } = picture;
    if (answersWith === "url") return defined({ url: `data:${type};base64,${bytes}`, revised_prompt });
    return defined({ b64_json: bytes, revised_prompt });
  });
  const body = Buffer.from(JSON.stringify({ created: Math.floor(Date.now() / 1_000), data }));
  return { body, contentType: "application/json" };
}

/** Throws InvalidRequest for an upstream that draws whole pictures only. */
export function refuseStream({ isStream }: ImageRequest): void {
  if (isStream) throw new InvalidRequest("the model's upstream has no partial pictures", "stream");
}

/** Throws InvalidRequest for an upstream that tells where its pictures are, and does not send them. */
export function refuseBytes({ answersWith }: ImageRequest): void {
  if (answersWith !== "b64_json") return;
  throw new InvalidRequest("the model's upstream answers with addresses of pictures only", "response_format");
}

/** Width and height; null = the caller left them to the upstream. Throws InvalidRequest. */
export function sidesOf({ size }: Pick<ImageRequest, "size">): { width: number; height: number } | null {
  if (size === null) return null;
  const match = /^(\d{2,5})[x*](\d{2,5})$/.exec(size);
  if (!match) throw new InvalidRequest("size must be like 1024x1024", "size");
  return { width: Number(match[1]), height: Number(match[2]) };
}

/** The ratio among these that is nearest to a size. */
export function ratioOf(request: Pick<ImageRequest, "size">, ratios: readonly string[]): string | undefined {
  if (request.size !== null && ratios.includes(request.size)) return request.size;
  const sides = sidesOf(request);
  if (!sides) return undefined;
  const wanted = Math.log(sides.width / sides.height);
  const distance = (ratio: string): number => {
    const [width = 1, height = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return [...ratios].sort((a, b) => distance(a) - distance(b))[0];
}
