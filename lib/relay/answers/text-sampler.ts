import { tokensOfUnit } from "../base/tokens/glyph-tokens";
import type { ChatEvent } from "../wire/canonical/event";
import type { ChatResponse } from "../wire/canonical/response";
import { mayHoldPictures, splitPictures } from "../wire/dialects/pictures/answer-pictures";
import type { TextSample } from "./answer";
import { type TextLength, WrittenText } from "./text-length";

const SAMPLE_CHARACTERS_MAX = 32_768;
const CALL_TOKENS = 7;
/** What makers count for a picture of the usual size: https://ai.google.dev/gemini-api/docs/pricing (November 2026). */
const PICTURE_TOKENS = 1_290;

/** Collects the beginning of the model's text and the length of all of it. */
export class TextSampler {
  readonly written = new WrittenText();
  /** Something without a text of its own came: sealed thoughts, searches. */
  holdsMore = false;
  private text = "";
  private extra = 0;
  private isAll = true;
  private asciiBytes = 0;
  private otherBytes = 0;

  addEvent(event: ChatEvent): void {
    if (event.type === "text-delta" || event.type === "refusal-delta" || event.type === "thinking-delta") {
      this.addText(event.text);
    } else if (event.type === "tool-call-delta") this.addText(event.arguments);
    else if (event.type === "tool-call-start") {
      this.extra += CALL_TOKENS;
      this.written.addCall();
      this.addText(event.name);
    } else this.holdsMore ||= event.type === "redacted-thinking" || event.type === "search";
  }

  addResponse({ choices }: ChatResponse): void {
    for (const { content } of choices) {
      for (const part of content) {
        if (part.type === "tool-call") {
          this.extra += CALL_TOKENS;
          this.written.addCall();
          this.addText(part.name);
          this.addText(part.arguments);
        } else if (part.type === "redacted-thinking") this.holdsMore = true;
        else this.addText(part.text);
      }
    }
  }

  sample(): TextSample {
    const { text, extra, isAll } = this;
    return { countable: { texts: [text], extra }, isAll, length: this.length() };
  }

  length(): TextLength {
    return { asciiBytes: this.asciiBytes, otherBytes: this.otherBytes };
  }

  /** A picture in Markdown is no text: its base64 would be counted as hundreds of thousands of tokens. */
  private addText(text: string): void {
    if (!mayHoldPictures(text)) {
      this.addWords(text);
      return;
    }
    for (const piece of splitPictures(text)) {
      if (typeof piece === "string") this.addWords(piece);
      else {
        this.extra += PICTURE_TOKENS;
        this.written.addPicture(piece.data.length, PICTURE_TOKENS);
      }
    }
  }

  private addWords(text: string): void {
    let ascii = 0;
    let otherTokens = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) ascii += 1;
      else otherTokens += tokensOfUnit(unit);
    }
    this.asciiBytes += ascii;
    const bytes = ascii === text.length ? ascii : Buffer.byteLength(text);
    this.written.addLength(bytes, bytes - ascii, otherTokens);
    this.otherBytes += bytes - ascii;
    if (!this.isAll) return;
    const room = SAMPLE_CHARACTERS_MAX - this.text.length;
    if (text.length <= room) this.text += text;
    else {
      this.text += text.slice(0, room);
      this.isAll = false;
    }
  }
}
