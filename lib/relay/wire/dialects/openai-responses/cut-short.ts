import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import { DeliveredReader } from "./delivered";
import { messageItem } from "./output-items";

/**
 * The end of a stream that the gateway stops: the response is incomplete for its length. It repeats the answer where
 * `first` holds all of it; of a longer one only the client has the text.
 */
export function cutShort(first: string, last: string): string {
  const frames = framesOf(first);
  const begun = frames.find(({ data }) => /"response" *: *\{/.test(data));
  const response = readObject(parseJsonObject(begun?.data ?? "")?.response);
  const sequence = framesOf(last).at(-1)?.data ?? "";
  const end = lastNumber(sequence) ?? lastNumber(frames.at(-1)?.data ?? "") ?? 0;
  const output = outputOf(frames, end);
  const told: Json = {
    ...response,
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: output ?? [],
    usage: null,
  };
  const data = { type: "response.incomplete", sequence_number: end + 1, response: told };
  return `event: response.incomplete\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The items of an answer that is all in these frames; null = it is not, or holds more than thoughts and a text. */
function outputOf(frames: readonly Frame[], end: number): readonly Json[] | null {
  const reader = new DeliveredReader();
  for (const { event, data } of frames) {
    const json = parseJsonObject(data);
    if (!json || !reader.read(json, readText(json.type) || event)) return null;
  }
  if (reader.sequence !== end + 1) return null;
  const { message, output } = reader;
  return message ? [...output, messageItem(message.id, message.parts, "incomplete")] : output;
}

function lastNumber(data: string): number | null {
  const { sequence_number: number } = parseJsonObject(data) ?? {};
  return typeof number === "number" ? number : null;
}

/** An event that breaks off has no frame. */
function framesOf(text: string): Frame[] {
  return [...text.matchAll(/^data: ?(\{.*\})\r?$/gm)].map(([, data = ""]) => ({ event: null, data }));
}
