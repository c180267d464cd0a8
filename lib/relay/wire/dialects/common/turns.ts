import type { AssistantPart, Message, TextPart, UserPart } from "../../canonical/request";
import { FILLER, isPlain } from "./plain-content";

const filler: TextPart = { type: "text", text: FILLER };

export type ToolResult = Extract<Message, { role: "tool" }>;

/** What one side says before it is the other one's turn. The results of tools are on the side of the user. */
export type Turn =
  | { role: "user"; content: readonly UserPart[] }
  | { role: "results"; results: readonly ToolResult[] }
  | { role: "assistant"; content: readonly AssistantPart[] };

/** Its lists grow: copies for each message would take the square of a long conversation. */
type OwnTurn =
  | { role: "user"; content: UserPart[] }
  | { role: "results"; results: ToolResult[] }
  | { role: "assistant"; content: AssistantPart[] };

/** The texts of all system and developer messages. */
export function systemText(messages: readonly Message[]): string {
  return messages
    .flatMap((message) =>
      message.role === "system" || message.role === "developer" ? message.content.map(({ text }) => text) : [],
    )
    .join("\n\n");
}

const UNSEEN: TextPart = { type: "text", text: "(not shown: something that is no text)" };

/** The conversation with only text in the results of tools, and a remark in place of everything else. */
export function withRemarks(messages: readonly Message[]): Message[] {
  return messages.map((message) =>
    message.role === "tool"
      ? { ...message, content: message.content.map((part) => (isPlain(part) ? part : UNSEEN)) }
      : message,
  );
}

/**
 * The conversation without system messages, for providers that want the sides to take turns: the user begins and has the last
 * word.
 */
export function takeTurns(messages: readonly Message[]): Turn[] {
  const turns: OwnTurn[] = [];
  for (const message of messages) {
    // A result with nothing before it has a turn of the model before it, too.
    if (turns.length === 0 && (message.role === "assistant" || message.role === "tool")) {
      turns.push({ role: "user", content: [filler] });
    }
    addMessage(turns, message);
  }
  if (turns.length === 0) turns.push({ role: "user", content: [filler] });
  if (turns.at(-1)?.role === "assistant") turns.push({ role: "user", content: [filler] });
  return turns;
}

function addMessage(turns: OwnTurn[], message: Message): void {
  const last = turns.at(-1);
  switch (message.role) {
    case "system":
    case "developer":
      return;
    case "tool":
      if (last?.role === "results") last.results.push(message);
      else addTurn(turns, { role: "results", results: [message] });
      return;
    case "user":
      if (last?.role === "user") for (const part of message.content) last.content.push(part);
      else addTurn(turns, { role: "user", content: [...message.content] });
      return;
    case "assistant":
      if (last?.role === "assistant") for (const part of message.content) last.content.push(part);
      else addTurn(turns, { role: "assistant", content: [...message.content] });
  }
}

function addTurn(turns: OwnTurn[], turn: OwnTurn): void {
  const last = turns.at(-1);
  if (last && last.role !== "assistant" && turn.role !== "assistant")
    turns.push({ role: "assistant", content: [filler] });
  turns.push(turn);
}
