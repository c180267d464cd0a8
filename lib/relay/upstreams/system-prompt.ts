import type { ChannelSetting } from "@/lib/snapshot/channel-setting";
import type { Edits } from "../json-splice";

type Message = { role?: unknown; content?: unknown };

const isSystem = (message: unknown): message is Message => {
  const role = (message as Message | null)?.role;
  return role === "system" || role === "developer";
};

/** Puts the channel's system prompt in where the request has none; with the override also in front of its own. Pure. */
export function addSystemPrompt(messages: unknown, { systemPrompt, systemPromptOverride }: ChannelSetting): Edits {
  if (systemPrompt === "" || !Array.isArray(messages)) return {};
  const at = messages.findIndex(isSystem);
  if (at === -1) return { messages: [{ role: "system", content: systemPrompt }, ...messages] };
  if (!systemPromptOverride) return {};
  const own: Message = messages[at];
  return { messages: messages.with(at, { ...own, content: join(systemPrompt, own.content) }) };
}

function join(prompt: string, content: unknown): unknown {
  if (Array.isArray(content)) return [{ type: "text", text: prompt }, ...content];
  return typeof content === "string" && content !== "" ? `${prompt}\n${content}` : prompt;
}
