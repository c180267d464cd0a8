import type { ChatEvent } from "../../canonical/event";
import type { Frame, Machine } from "../../canonical/machine";
import { createStreamDecoder as createMessagesDecoder } from "../anthropic-messages/decode-stream";
import { readUsage as readOwnUsage } from "../anthropic-messages/usage";
import type { ReadUsage } from "../dialect";

/** The parts of the stream are Anthropic's events, and its exceptions look like Anthropic's errors. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return createMessagesDecoder(readUsage);
}
