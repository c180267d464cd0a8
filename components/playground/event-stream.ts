/** An event of a text/event-stream; the default name is "message". */
export type StreamEvent = { event: string; data: string };

/**
 * Parses a text/event-stream in chunks of any size: the returned function takes the next chunk and returns the completed
 * events. Comments and fields other than event and data are ignored.
 */
export function createEventReader(): (piece: string) => StreamEvent[] {
  let rest = "";
  let event = "";
  let data: string[] = [];
  const read = (line: string): StreamEvent | null => {
    if (line === "") {
      const complete = data.length > 0 ? { event: event || "message", data: data.join("\n") } : null;
      event = "";
      data = [];
      return complete;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    if (field === "event") event = value;
    return null;
  };
  return (piece) => {
    // A trailing carriage return may be the first half of CRLF, so it waits for the next chunk.
    const text = rest + piece;
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + text.slice(end);
    return lines.flatMap((line) => read(line) ?? []);
  };
}
