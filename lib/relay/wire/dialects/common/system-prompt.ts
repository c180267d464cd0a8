import type { ChatRequest, Message } from "../../canonical/request";
import type { UpstreamTarget } from "../dialect";

/** The request with the channel's system prompt: added when it has none of its own, put in front when it is forced. */
export function withSystemPrompt(
  request: ChatRequest,
  { text, isForced }: UpstreamTarget["systemPrompt"],
): ChatRequest {
  if (text === "") return request;
  const { messages } = request;
  const isGiven = messages.some(({ role }) => role === "system" || role === "developer");
  if (isGiven && !isForced) return request;
  const prompt: Message = { role: "system", content: [{ type: "text", text }] };
  return { ...request, messages: [prompt, ...messages] };
}
