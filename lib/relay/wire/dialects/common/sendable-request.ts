import type { Json } from "../../canonical/json";
import type { AssistantPart, ChatRequest, Message, Tool } from "../../canonical/request";
import { type CallReader, resultsBehindCalls } from "./calls/results-behind-calls";
import { isBlank } from "./plain-content";
import { plainRoot } from "./plain-root";

/**
 * The request as all upstreams take it, whoever the caller is: results stand right behind their calls, a call without
 * arguments has an empty object, and the parameters of a tool have a plain object at the root.
 */
export function sendableRequest(request: ChatRequest): ChatRequest {
  const messages = resultsBehindCalls(request.messages, CALLS).map(withArguments);
  const tools = request.tools?.map(withPlainRoot);
  return tools ? { ...request, messages, tools } : { ...request, messages };
}

const NONE: readonly string[] = [];

const CALLS: CallReader<Message> = {
  calls: (message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
      : NONE,
  result: (message) => (message.role === "tool" ? message.toolCallId : null),
};

const isEmptyCall = (part: AssistantPart): boolean => part.type === "tool-call" && isBlank(part.arguments);

function withArguments(message: Message): Message {
  if (message.role !== "assistant" || !message.content.some(isEmptyCall)) return message;
  const content = message.content.map((part) => (isEmptyCall(part) ? { ...part, arguments: "{}" } : part));
  return { ...message, content };
}

function withPlainRoot(tool: Tool): Tool {
  const { parameters, description } = tool;
  if (!parameters) return tool;
  const { schema, told } = plainRoot(parameters as Json);
  if (schema === parameters) return tool;
  if (told === "") return { ...tool, parameters: schema };
  return { ...tool, parameters: schema, description: description ? `${description}\n\n${told}` : told };
}
