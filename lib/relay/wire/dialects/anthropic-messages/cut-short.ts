import type { Json } from "../../canonical/json";
import { parseJsonObject } from "../common/json-text";
import { renderUsage } from "./usage";

/** The end of a stream that the gateway stops: the open block is closed, and the message ends for its length. */
export function cutShort(_first: string, last: string): string {
  const frames = [...last.matchAll(/^data:(.*)$/gm)].map(([, data = ""]) => parseJsonObject(data));
  const block = frames.findLast((frame) => typeof frame?.type === "string" && frame.type.startsWith("content_block"));
  const isOpen = block && block.type !== "content_block_stop";
  const end = { delta: { stop_reason: "max_tokens", stop_sequence: null }, usage: renderUsage(null) };
  return [
    isOpen ? event("content_block_stop", { index: block.index }) : "",
    event("message_delta", end),
    event("message_stop", {}),
  ].join("");
}

function event(type: string, rest: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
