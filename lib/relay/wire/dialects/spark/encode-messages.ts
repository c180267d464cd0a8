import type { AssistantPart, ChatRequest } from "../../canonical/request";
import { isBlank, plainText } from "../common/plain-content";
import { joinTurns } from "../common/text-only";
import { JSON_ONLY } from "../schemas/json-sentence";
import type { SparkVersion } from "./versions";

type Turn = { role: "system" | "user" | "assistant"; content: string };

/** Spark's messages: text only, a system message at most at the beginning. */
export function encodeMessages(request: ChatRequest, { takesSystem }: SparkVersion): Turn[] {
  const names = new Map<string, string>();
  const said: string[] = [];
  const turns: Turn[] = [];
  for (const message of request.messages) {
    switch (message.role) {
      case "system":
      case "developer":
        said.push(plainText(message.content));
        break;
      case "user":
        turns.push({ role: "user", content: plainText(message.content) });
        break;
      case "tool": {
        const name = message.toolName ?? names.get(message.toolCallId) ?? message.toolCallId;
        turns.push({ role: "user", content: `Result of ${name}: ${plainText(message.content)}` });
        break;
      }
      case "assistant":
        turns.push({ role: "assistant", content: assistantText(message.content, names) });
    }
  }
  if (request.responseFormat?.type === "json") said.push(JSON_ONLY);
  return joinTurns([
    ...systemTurns(said.join("\n\n"), takesSystem),
    ...turns.filter(({ content }) => !isBlank(content)),
  ]);
}

function systemTurns(content: string, takesSystem: boolean): Turn[] {
  if (isBlank(content)) return [];
  if (takesSystem) return [{ role: "system", content }];
  return [
    { role: "user", content },
    { role: "assistant", content: "Okay" },
  ];
}

/** `names`: of the tools that were called, by the call's id; those of this message are added. */
function assistantText(parts: readonly AssistantPart[], names: Map<string, string>): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") texts.push(part.text);
    if (part.type !== "tool-call") continue;
    names.set(part.id, part.name);
    texts.push(`Called ${part.name} with ${part.arguments || "{}"}`);
  }
  return texts.join("\n");
}
