import type { ServerResponse } from "node:http";

/** The event streams of pages, which have no end of their own. */
export type EventStreams = {
  /** `onEnded` is called when the last byte is on its way. */
  add(response: ServerResponse, onEnded: () => void): void;
  /** Pages ask again by themselves, from who is there then. */
  endAll(): void;
  /** Also those that come from now on. */
  endForGood(): void;
};

export function createEventStreams(): EventStreams {
  const open = new Map<ServerResponse, () => void>();
  let isOver = false;
  function endAll(): void {
    for (const [response, onEnded] of open) response.end(onEnded);
  }
  return {
    add(response, onEnded) {
      if (isOver) return void response.end(onEnded);
      open.set(response, onEnded);
      response.once("close", () => open.delete(response));
    },
    endAll,
    endForGood() {
      isOver = true;
      endAll();
    },
  };
}
