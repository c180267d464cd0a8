import { InvalidRequest } from "../../canonical/wire-error";
import { readModel } from "../common/request-fields";

/** The path names the model and says whether to stream. */
export const PATH = /^\/(?:v1|v1beta\d*)\/models\/(.+):(generateContent|streamGenerateContent)$/;

/** Throws InvalidRequest. */
export function readPath(path: string): { model: string; isStream: boolean } {
  const found = PATH.exec(path);
  if (!found) throw new InvalidRequest("the path must name a model", "model");
  return { model: readModel(decode(found[1] ?? "")), isStream: found[2] === "streamGenerateContent" };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function pathOf(model: string, isStream: boolean): string {
  return `/v1beta/models/${encodeURIComponent(model)}:${isStream ? "streamGenerateContent" : "generateContent"}`;
}

export function pathWithModel(path: string, model: string): string {
  return pathOf(model, readPath(path).isStream);
}

/** Without alt=sse, Google sends the events of a stream as the items of a JSON array. */
export function isArrayStream(url: string): boolean {
  return /:streamGenerateContent(?:\?|$)/.test(url) && !/[?&]alt=sse(?:&|$)/.test(url);
}
