import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { reportsError } from "../../wire/dialects/common/reported-error";
import { emptyAnswerRefusal, reportedRefusal } from "../refusal";
import type { MediaFacts, ReadFacts } from "./media-facts";
import { joined, type MediaReader, tooMuch } from "./media-reader";

const TEXT_BYTES_MAX = 16 * 1_048_576;
const CUE = /(?:(\d+):)?(\d{2}):(\d{2})[.,](\d{3})\s*$/;

/** A transcript as text or subtitles, held until it is whole. */
export class TextReader implements MediaReader {
  private readonly settings: { facts: MediaFacts; readFacts: ReadFacts };
  private readonly parts: Buffer[] = [];

  constructor(settings: { facts: MediaFacts; readFacts: ReadFacts }) {
    this.settings = settings;
  }

  push(bytes: Buffer): null {
    const { facts } = this.settings;
    facts.bytes += bytes.length;
    if (facts.bytes > TEXT_BYTES_MAX) throw tooMuch();
    this.parts.push(bytes);
    return null;
  }

  end(): null {
    const text = joined(this.parts).toString("utf8");
    const json = text.trimStart().startsWith("{") ? parseJsonObject(text) : null;
    const hasText = json !== null && typeof json.text === "string";
    if (json && reportsError(json, null, hasText)) throw reportedRefusal(text);
    // An empty transcript of silence is an answer, an empty body in place of a document is none.
    if (text === "" && this.settings.facts.bytes === 0) throw emptyAnswerRefusal();
    if (json) this.settings.readFacts(json, this.settings.facts);
    else this.settings.facts.lastCue = lastCue(text);
    return null;
  }

  ending(): Buffer {
    return joined(this.parts);
  }
}

/** When the last subtitle ends; null = they are no subtitles. */
export function lastCue(text: string): number | null {
  const at = text.lastIndexOf("-->");
  const line = at === -1 ? "" : (text.slice(at + 3).split("\n", 1)[0] ?? "");
  const match = CUE.exec(line.trim());
  if (!match) return null;
  const [, hours = "0", minutes = "0", seconds = "0", ms = "0"] = match;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1_000;
}
