import type { ChatRequest, MediaSource, Message } from "../../canonical/request";

type Part = { type: string; source?: MediaSource };

function someParts({ messages }: ChatRequest, is: (part: Part) => boolean): boolean {
  return messages.some((message: Message) => (message.content as readonly Part[]).some(is));
}

export function hasAudio(request: ChatRequest): boolean {
  return someParts(request, ({ type }) => type === "audio");
}

export function someMedia(request: ChatRequest, kind: "file" | "image", is: (source: MediaSource) => boolean): boolean {
  return someParts(request, ({ type, source }) => type === kind && source !== undefined && is(source));
}

/** The sources of all pictures and files. */
export function sourcesOf({ messages }: ChatRequest): MediaSource[] {
  return messages.flatMap((message) => (message.content as readonly Part[]).flatMap(({ source }) => source ?? []));
}
