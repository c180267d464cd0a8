import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse, Choice } from "../../canonical/response";
import { inventCallId } from "../common/calls/open-calls";
import { defined } from "../common/defined";
import { readLogprobs } from "../common/openai/openai-logprobs";
import { isFilled } from "../common/reported-error";
import type { ReadUsage } from "../dialect";
import { decodeAnnotations, decodeSources } from "./annotations";
import { readFinishReason } from "./finish-reason";
import { contentTexts, drawnPictures } from "./message-content";
import { decodeThoughts } from "./reasoning-details";
import { readUsage as readOwnUsage } from "./usage";

/** Returns null when this is not a response. Invalid parts are dropped. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const given = readArray(json.choices).map(readObject);
  if (given.length === 0 || !given.every(({ message }) => typeof message === "object" && message !== null)) return null;
  const id = readText(json.id);
  const choices = given.map((choice, position) => decodeChoice(choice, position, id, json));
  const ofChoice = given.find(({ usage }) => typeof usage === "object" && usage !== null);
  return { id, model: readText(json.model), choices, usage: readUsage(json.usage ?? ofChoice?.usage) };
}

function decodeChoice(choice: Json, position: number, id: string, answer: Json): Choice {
  const index = typeof choice.index === "number" ? choice.index : position;
  const message = readObject(choice.message);
  const { text: said, thinking } = contentTexts(message.content);
  const text = said + drawnPictures(message);
  const content: AssistantPart[] = decodeThoughts(message);
  if (content.length === 0 && thinking !== "") content.push({ type: "thinking", text: thinking });
  const cited = decodeAnnotations(message.annotations, text.length);
  const citations = cited.length > 0 ? cited : decodeSources(answer, text.length);
  const logprobs = readLogprobs(readObject(choice.logprobs).content);
  if (text !== "") {
    content.push(
      defined({ type: "text" as const, text, citations: citations.length > 0 ? citations : undefined, logprobs }),
    );
  }
  if (readText(message.refusal) !== "") content.push({ type: "refusal", text: readText(message.refusal) });
  const calls = readArray(message.tool_calls);
  // The older form, which some servers still answer in.
  const given = calls.length === 0 && isFilled(message.function_call) ? [{ function: message.function_call }] : calls;
  given.forEach((value, i) => {
    const call = readObject(value);
    const { name, arguments: values } = readObject(call.function);
    const callId = readText(call.id) || inventCallId(id, index, i);
    content.push({ type: "tool-call", id: callId, name: readText(name), arguments: argumentsText(values) });
  });
  return { index, content, finishReason: readFinishReason(readText(choice.finish_reason)) };
}

/** Some upstreams send an object where OpenAI sends JSON text. */
export function argumentsText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : readText(value);
}
