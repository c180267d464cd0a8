import type { Json } from "../../canonical/json";
import type { ChatRequest, Message } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { isBlank, plainText } from "../common/plain-content";
import { joinTurns } from "../common/text-only";
import { JSON_ONLY } from "../schemas/json-sentence";
import { limits } from "./limits";

type Turn = { role: "system" | "user" | "assistant"; content: string };

/** Canonical request → request of the model API; the path names the model. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest): Json {
  refuseLimits(limits.upstream, request);
  const { temperature, topP, isStream } = request;
  return defined({
    prompt: encodePrompt(request),
    temperature: temperature === undefined ? undefined : within(0.01, 1, temperature),
    top_p: topP === undefined ? undefined : within(0.01, 0.99, topP),
    incremental: isStream || undefined,
  });
}

function within(min: number, max: number, value: number): number {
  return Math.min(max, Math.max(min, value));
}

function encodePrompt({ messages, responseFormat }: ChatRequest): Turn[] {
  const isSystem = ({ role }: Message): boolean => role === "system" || role === "developer";
  const said = messages.filter(isSystem).map(contentOf);
  if (responseFormat?.type === "json") said.push(JSON_ONLY);
  const turns = messages.flatMap((message): Turn[] => {
    const content = contentOf(message);
    if (isSystem(message) || isBlank(content)) return [];
    return [{ role: message.role === "assistant" ? "assistant" : "user", content }];
  });
  if (said.length === 0) return joinTurns(turns);
  const system: Turn[] = [
    { role: "system", content: said.join("\n\n") },
    { role: "user", content: "Okay" },
  ];
  return [...system, ...joinTurns(turns)];
}

function contentOf(message: Message): string {
  if (message.role !== "assistant") return plainText(message.content);
  return message.content.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join("");
}
