import type { ChatRequest, Message, Tool, ToolChoice } from "../../../canonical/request";

/** For upstreams without tool_choice. */
export type Offered = { tools: readonly Tool[]; messages: readonly Message[] };

/**
 * The tools that such an upstream is offered: none of them where calls are forbidden, and one alone where it is forced. What a
 * request forces is asked for by a system message.
 */
export function offerTools({ tools = [], toolChoice, messages }: ChatRequest): Offered {
  if (!toolChoice || toolChoice.type === "auto" || tools.length === 0) return { tools, messages };
  if (toolChoice.type === "none") return { tools: [], messages };
  const offered = toolChoice.type === "tool" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const text = forcedCallSentence(toolChoice);
  return { tools: offered, messages: [{ role: "system", content: [{ type: "text", text }] }, ...messages] };
}

/** Asks for a call that cannot be forced; "" = the choice forces none. */
export function forcedCallSentence(choice: ToolChoice | undefined): string {
  if (choice?.type === "tool") return `Answer with a call of the tool ${choice.name}, and with nothing else.`;
  return choice?.type === "required" ? "Answer with a call of one of the tools, and with nothing else." : "";
}
