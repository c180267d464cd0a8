import type { Frame } from "../wire/canonical/machine";
import { parseJsonObject } from "../wire/dialects/common/json-text";
import { EventReader } from "./server-sent-events";

/**
 * Events whose data is plain text, and whose fields `id` and `meta` count. Zhipu writes no blank behind the colon, so that
 * one there is the text's. The data of an error may be JSON already.
 */
export class EventFieldsReader extends EventReader {
  private id: string | undefined;
  private meta: string | undefined;

  constructor() {
    super(true);
  }

  protected override readField(name: string, value: string): void {
    if (name === "id") this.id = value;
    else if (name === "meta") this.meta = value;
  }

  protected override hasEvent(): boolean {
    return super.hasEvent() || this.meta !== undefined;
  }

  protected override frameOf(event: string | null, data: string): Frame {
    const { id, meta } = this;
    this.id = undefined;
    this.meta = undefined;
    if (event === "error") return { event, data: parseJsonObject(data) ? data : JSON.stringify({ msg: data }) };
    return { event, data: JSON.stringify({ id, data, meta }) };
  }
}
