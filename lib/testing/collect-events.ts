import { ResponseCollector } from "../relay/wire/canonical/collect";
import type { ChatEvent } from "../relay/wire/canonical/event";
import type { ChatResponse } from "../relay/wire/canonical/response";
import type { WireError } from "../relay/wire/canonical/wire-error";

export type Collected = { response: ChatResponse; error: WireError | null; hasEnded: boolean };

/** Assembles the whole response from the events of a stream. */
export function collectEvents(events: readonly ChatEvent[]): Collected {
  const collector = new ResponseCollector();
  for (const event of events) collector.add(event);
  return { response: collector.collected(), error: collector.error, hasEnded: collector.hasEnded };
}
