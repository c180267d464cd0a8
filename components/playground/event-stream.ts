/** An event of a text/event-stream: its name ("message" unless said) and its data. */
export type StreamEvent = { event: string; data: string };

/**
 * Reads a text/event-stream piece by piece, however it is cut: the returned function takes the next piece and gives the
 * events that it completed. Comments and fields that no one here needs are passed over.
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
    // A carriage return at the very end may be the first half of a line break.
    const text = rest + piece;
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + text.slice(end);
    return lines.flatMap((line) => read(line) ?? []);
  };
}
