import type { Frame } from "../wire/canonical/machine";
import { EventReader } from "./server-sent-events";

/** The events of a stream as the items of one JSON array, for clients that did not ask for events. */
export class ArrayStream {
  static readonly contentType = "application/json";
  private readonly reader = new EventReader();
  private hasItems = false;

  /** Takes events; returns the part of the array that they make. Empty = none is whole yet. */
  push(events: Buffer): Buffer {
    return Buffer.from(this.write(this.reader.push(events)));
  }

  /** Takes the last events; returns the rest of the array. */
  end(events: Buffer): Buffer {
    const rest = this.write([...this.reader.push(events), ...this.reader.end()]);
    return Buffer.from(`${rest}${this.hasItems ? "" : "["}\n]\n`);
  }

  private write(frames: readonly Frame[]): string {
    let text = "";
    for (const { data } of frames) {
      text += `${this.hasItems ? ",\n" : "["}${data}`;
      this.hasItems = true;
    }
    return text;
  }
}
