import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatResponse } from "../../canonical/response";
import type { ReadUsage } from "../dialect";

/** The format reports none. */
export function readOwnUsage(): null {
  return null;
}

/** The format has no reasons: an answer is finished. */
export function finishReason(): FinishReason {
  return { unified: "stop", raw: "finish" };
}

/** The documents that an answer rests on, as a list behind it; "" = none. */
export function documentsText(documents: unknown): string {
  const lines = readArray(documents)
    .map(readObject)
    .map(({ title, url }) => ({ title: readText(title) || readText(url), url: readText(url) }))
    .filter(({ title }) => title !== "")
    .map(({ title, url }, at) => `${at + 1}. ${url === "" ? title : `[${title}](${url})`}\n`);
  return lines.length === 0 ? "" : `\n\n${lines.join("")}`;
}

export function hasAnswer({ answer }: Json): boolean {
  return typeof answer === "string";
}

/** Null = not an answer. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (!hasAnswer(json)) return null;
  const text = `${readText(json.answer)}${documentsText(json.documents)}`;
  return {
    id: "",
    model: readText(json.model),
    choices: [{ index: 0, content: text === "" ? [] : [{ type: "text", text }], finishReason: finishReason() }],
    usage: readUsage(json.usage),
  };
}
