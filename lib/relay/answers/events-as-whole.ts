import { ResponseCollector } from "../wire/canonical/collect";
import type { ChatEvent } from "../wire/canonical/event";
import type { Frame } from "../wire/canonical/machine";
import type { ChatResponse } from "../wire/canonical/response";
import type { ReadUsage, UpstreamFormat } from "../wire/dialects/dialect";
import { openReader } from "./framing";
import { emptyRefusal, reportedRefusal } from "./refusal";

/**
 * Puts an answer together from events that came although a whole one was asked for, as some servers send them. Throws
 * AnswerRefused for an error in them, and for a stream that has no end.
 */
export function responseOfEvents(body: Buffer, upstream: UpstreamFormat, readUsage: ReadUsage): ChatResponse {
  const reader = openReader(upstream.framing ?? "sse");
  const decoder = upstream.streamDecoder(readUsage);
  const collector = new ResponseCollector();
  let hasFinished = false;
  const add = (events: readonly ChatEvent[], frame: Frame | null): void => {
    for (const event of events) {
      if (event.type === "error") throw reportedRefusal(frame?.data ?? "");
      if (event.type === "finish" || event.type === "end") hasFinished = true;
      collector.add(event);
    }
  };
  for (const frame of [...reader.push(body), ...reader.end()]) add(decoder.step(frame), frame);
  add(decoder.end(true), null);
  const response = collector.collected();
  if (!hasFinished || response.choices.length === 0) throw emptyRefusal();
  return response;
}
