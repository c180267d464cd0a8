import { type Json, readArray, readObject, readText } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { readSeconds } from "./video-fields";
import { SECONDS_MAX, usualSeconds } from "./video-request";

const FRAMES_PER_SECOND = 24;

/** An option that older requests write into the text: `--duration 5`, or `--dur 5`. Throws InvalidRequest where it has several values. */
export function commandIn(text: string, ...names: string[]): string | undefined {
  const pattern = new RegExp(`--(?:${names.join("|")})\\s+(\\S{1,20})`, "gi");
  const [value, ...others] = new Set([...text.matchAll(pattern)].map(([, word = ""]) => word.toLowerCase()));
  if (others.length > 0) throw new InvalidRequest(`content has several values for --${names[0]}`, "content");
  return value;
}

/** What the body or the text says. Throws InvalidRequest where they differ: only the maker knows which of them counts. */
export function agreed<Value>(ofBody: Value | null, ofText: Value | null, name: string): Value | null {
  if (ofBody !== null && ofText !== null && ofBody !== ofText) {
    throw new InvalidRequest(`${name} is something else in the text of content`, name);
  }
  return ofBody ?? ofText;
}

/** The seconds that are charged, and the body that asks for them. Frames go before a duration, so both together are refused. */
export function readLength(json: Json, text: string, model: string): { seconds: number; json: Json } {
  const given = readSeconds(json.duration, "duration");
  const inText = readSeconds(commandIn(text, "duration", "dur"), "duration");
  const seconds = agreed(given, inText, "duration");
  const frames = agreed(readFrames(json.frames), readFrames(numberIn(commandIn(text, "frames"))), "frames");
  if (frames !== null && seconds !== null) {
    throw new InvalidRequest("a video has a duration or frames, not both", "frames");
  }
  if (frames !== null) return { seconds: Math.ceil(frames / FRAMES_PER_SECOND), json };
  // A text that names it does so already.
  const isNamed = inText !== null && given === null && commandIn(firstText(json), "duration", "dur") !== undefined;
  return {
    seconds: seconds ?? usualSeconds(model),
    json: isNamed ? json : { ...json, duration: seconds ?? usualSeconds(model) },
  };
}

function firstText(json: Json): string {
  return readText(
    readArray(json.content)
      .map(readObject)
      .find(({ type }) => type === "text")?.text,
  );
}

function numberIn(word: string | undefined): unknown {
  return word === undefined ? undefined : Number(word);
}

function readFrames(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const most = SECONDS_MAX * FRAMES_PER_SECOND;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new InvalidRequest(`frames must be a whole number up to ${most}`, "frames");
}

/** The length of a video that was made; null = it is not told. */
export function lengthOf({ duration, frames, framespersecond: rate }: Json): number | null {
  if (isAmount(duration)) return duration;
  return isAmount(frames) && isAmount(rate) ? frames / rate : null;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
