import { asObject, type Json } from "../wire";
import { type Answer, CallFailure } from "./call-operation";

/** A picture: its file, or the address where the upstream has it. */
export type Picture = {
  blob: Blob | null;
  /** "" = it is in `blob`. */
  url: string;
  /** The prompt as the model understood it; "" = not said. */
  revised: string;
  /** The first sketch of a stream, or a small copy from the history. */
  kind: "whole" | "partial" | "thumbnail";
};

export type ImageParameters = {
  size: string;
  quality: string;
  count: string;
  partials: string;
  format: string;
};

export const COUNT_MAX = 10;
export const PARTIALS_MAX = 3;

/** The body of POST /v1/images/generations with the parameters that are set. */
export function toImageBody(
  model: string,
  prompt: string,
  parameters: ImageParameters,
  { count, partials }: { count: number | undefined; partials: number | undefined },
): Json {
  const { size, quality, format } = parameters;
  return {
    model,
    prompt,
    ...(count === undefined ? {} : { n: count }),
    ...(size.trim() === "" ? {} : { size: size.trim() }),
    ...(quality === "" ? {} : { quality }),
    ...(format === "" ? {} : { output_format: format }),
    ...(partials === undefined || partials === 0 ? {} : { stream: true, partial_images: partials }),
  };
}

/** As the provider allows. */
export const PICTURE_BYTES_MAX = 25 * 1_048_576;

/** The form of POST /v1/images/edits: the same fields, and the picture to change. */
export function toEditForm(body: Json, picture: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  form.set("image", picture, picture.name);
  return form;
}

/** The pictures of an answer; `onPartial` gets each sketch of a stream. Throws CallFailure when there is none. */
export async function readPictures(
  answer: Answer,
  unreadable: string,
  onPartial: (pictures: readonly Picture[]) => void,
): Promise<readonly Picture[]> {
  const pictures = answer.kind === "events" ? await readStream(answer.events, onPartial) : readWhole(answer);
  if (pictures.length > 0) return pictures;
  throw new CallFailure(unreadable, { status: 200, requestId: answer.requestId });
}

function readWhole(answer: Answer): readonly Picture[] {
  const { data } = answer.kind === "json" ? answer.json : {};
  return Array.isArray(data) ? data.flatMap((item) => readPicture(asObject(item), "whole")) : [];
}

async function readStream(
  events: (Answer & { kind: "events" })["events"],
  onPartial: (pictures: readonly Picture[]) => void,
): Promise<readonly Picture[]> {
  const whole: Picture[] = [];
  for await (const { event, json } of events) {
    const type = typeof json.type === "string" ? json.type : event;
    const isPartial = type.endsWith("partial_image");
    const found = readPicture(json, isPartial ? "partial" : "whole");
    if (!isPartial) whole.push(...found);
    if (found.length > 0) onPartial(isPartial ? [...whole, ...found] : whole);
  }
  return whole;
}

function readPicture(json: Json, kind: Picture["kind"]): Picture[] {
  const { b64_json: base64, url, revised_prompt: prompt, output_format: format } = json;
  const revised = typeof prompt === "string" ? prompt : "";
  if (typeof base64 === "string" && base64 !== "") {
    const blob = readBase64(base64, typeof format === "string" ? format : "");
    return blob ? [{ blob, url: "", revised, kind }] : [];
  }
  return typeof url === "string" && isPictureAddress(url) ? [{ blob: null, url, revised, kind }] : [];
}

/** An upstream's value could be a "javascript:" address. */
export function isPictureAddress(url: string): boolean {
  return /^(https?:\/\/|data:image\/)/i.test(url) && URL.canParse(url);
}

/** Null = not base64. */
function readBase64(base64: string, format: string): Blob | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new Blob([bytes], { type: pictureType(bytes, format) });
  } catch {
    return null;
  }
}

function pictureType(bytes: Uint8Array, format: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return "image/jpeg";
  if (bytes[0] === 0x52 && bytes[8] === 0x57) return "image/webp";
  return format === "jpeg" || format === "webp" ? `image/${format}` : "image/png";
}
