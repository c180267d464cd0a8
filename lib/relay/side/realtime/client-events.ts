import type { OptionValues } from "@/lib/option/registry";
import { finderOf, replaceTexts } from "../../admission/check-words";
import { unpriced } from "../../admission/quote";
import { measureJson } from "../../base/json-bounds";
import type { RefusalName } from "../../base/refusals/refusal-table";
import { RelayError } from "../../base/relay-error";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { checkNames, knownNames } from "../../wire/dialects/common/known-names";
import { appendedLength } from "./event-type";
import type { Said } from "./running-response";
import { type LimitName, readCostSettings } from "./settings-in-force";
import type { Tally } from "./tally";

export type ClientRules = {
  /** As the caller named it, and as the upstream does. */
  model: string;
  upstreamModel: string;
  tally: Tally;
  options: () => OptionValues;
  /** Whether a model that is to transcribe has a price, which is reserved from then on; with so many bytes that it reads each time. */
  isPriced: (model: string, promptBytes: number) => boolean;
};

const SOUND_MIN = 256;
/** Texts that are names rather than anything that is said. */
const NAMES = new Set(["type", "role", "event_id", "id", "item_id", "previous_item_id", "call_id", "model", "voice"]);

/**
 * What is sent upstream of an event of the caller: its own bytes, but for a model's name that the channel maps, and words that
 * are replaced. Throws RelayError for one that is not passed on; the session goes on.
 */
export function readClientEvent(bytes: Buffer, rules: ClientRules): Buffer {
  const appended = appendedLength(bytes);
  if (appended !== -1) {
    rules.tally.appended(appended);
    return bytes;
  }
  const event = parseEvent(bytes);
  if (!event) throw invalid("the event is no JSON object with a type", "invalid_json", null);
  const isUnique = checkEvent(bytes, event);
  const renamed = withUpstreamModel(event, rules);
  checkTranscription(event, rules);
  checkPrompt(event, rules.options());
  if (event.type === "input_audio_buffer.commit") rules.tally.commits();
  const said = weigh(event, bytes.length, rules.tally);
  const sent = renamed || !isUnique ? Buffer.from(JSON.stringify(renamed ?? event)) : bytes;
  const clean = withoutWords(sent, said, rules.options());
  // Only what is sent has an effect.
  countSettings(event, rules.tally);
  return clean;
}

/** An event by which no response of the session may write more tokens. */
export function limitedSession(name: LimitName, limit: number): Buffer {
  return Buffer.from(JSON.stringify({ type: "session.update", session: { type: "realtime", [name]: limit } }));
}

/** A `response.create` whose response may write so many tokens; null = as it says itself. */
export function limitedResponse(bytes: Buffer, name: LimitName, limit: number | null): Buffer {
  if (limit === null) return bytes;
  const event = parseEvent(bytes) ?? {};
  return Buffer.from(JSON.stringify({ ...event, response: { ...readObject(event.response), [name]: limit } }));
}

/** Null = not an event. */
export function parseEvent(bytes: Buffer): Json | null {
  if (!("values" in measureJson(bytes))) return null;
  try {
    const event = readObject(JSON.parse(bytes.toString("utf8")));
    return typeof event.type === "string" ? event : null;
  } catch {
    return null;
  }
}

/** What Weir reads of the events of a session. */
const EVENT_NAMES = knownNames({
  fields: [
    ...["type", "session", "response", "item", "content", "model", "audio", "input", "output", "transcription", "text"],
    ...["input_audio_transcription", "tools", "prompt", "id", "image_url", "voice", "role", "instructions", "event_id"],
    ...["item_id", "previous_item_id", "call_id", "tool_choice", "conversation", "max_output_tokens", "modalities"],
    ...["output_modalities", "max_response_output_tokens", "turn_detection", "server_url", "connector_id", "file_id"],
  ],
  callers: ["metadata", "parameters", "headers"],
  named: ["variables"],
});

/** Whether no name is there twice: readers disagree about which counts, so that such an event is sent as it was read. */
function checkEvent(bytes: Buffer, event: Json): boolean {
  const written = measureJson(bytes);
  try {
    const read = checkNames(event, EVENT_NAMES);
    return "values" in written && written.values === 1 + read;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    throw invalid(error.message, "invalid_event", error.param);
  }
}

function invalid(message: string, name: RefusalName, param: string | null): RelayError {
  return new RelayError(name, message, { param });
}

/** A session is priced by its model, so that no event may ask for another one. Null = the event names none, or the upstream's. */
function withUpstreamModel(event: Json, { model, upstreamModel }: ClientRules): Json | null {
  let changed: Json | null = null;
  for (const key of ["session", "response"]) {
    const named = readObject(event[key]).model;
    if (named === undefined || named === null || named === upstreamModel) continue;
    if (named !== model)
      throw invalid("the model of a session cannot be changed", "session_model_fixed", `${key}.model`);
    changed = { ...(changed ?? event), [key]: { ...readObject(event[key]), model: upstreamModel } };
  }
  return changed;
}

/** The model that a session's settings name for transcriptions; "" = none. */
export function transcriptionModel(session: Json): string {
  return readText(transcriptionOf(session).model);
}

function transcriptionOf(session: Json): Json {
  const input = readObject(readObject(session.audio).input);
  return readObject(input.transcription ?? session.input_audio_transcription);
}

function checkTranscription(event: Json, { isPriced }: ClientRules): void {
  const settings = transcriptionOf(readObject(event.session));
  const model = readText(settings.model);
  if (model === "" || isPriced(model, Buffer.byteLength(JSON.stringify(settings)))) return;
  throw unpriced(model, "price", "session.audio.input.transcription.model");
}

/** A prompt that is kept at the upstream may bring tools and another model; it is allowed as in a request. */
function checkPrompt(event: Json, { AllowedRequestOptions }: OptionValues): void {
  if (AllowedRequestOptions.includes("prompt")) return;
  const key = ["session", "response"].find((name) => readObject(event[name]).prompt);
  if (key) throw invalid("prompts that are kept at the upstream cannot be used here", "invalid_event", `${key}.prompt`);
}

/** Counts what an event adds to the conversation; returns its texts. */
function weigh(event: Json, bytes: number, tally: Tally): string[] {
  const texts: string[] = [];
  const said: Said = { textBytes: 0, fourBytes: 0, soundLength: 0, pictures: 0 };
  const visit = (value: unknown, key: string): void => {
    if (typeof value === "string") {
      if (value.startsWith("data:image/") || key === "image_url") said.pictures += 1;
      else if (key === "audio" && value.length >= SOUND_MIN) said.soundLength += value.length;
      else {
        const bytes = Buffer.byteLength(value);
        said.textBytes += bytes;
        if (bytes > value.length) said.fourBytes += 4 * (value.match(FOUR_BYTES)?.length ?? 0);
        if (!NAMES.has(key)) texts.push(value);
      }
      if (key === "type" && value === "mcp") tally.hasUnseen = true;
    } else if (Array.isArray(value)) for (const inner of value) visit(inner, key);
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        said.textBytes += name.length;
        visit(inner, name);
      }
    }
  };
  visit(event, "");
  if (readObject(event.session).prompt || readObject(event.response).prompt) tally.hasUnseen = true;
  tally.sent(bytes, said);
  return texts;
}

const FOUR_BYTES = /[\u{10000}-\u{10ffff}]/gu;

/** What an event decides about the cost of later ones. */
function countSettings(event: Json, tally: Tally): void {
  if (event.type === "session.update") tally.settings.sent(readCostSettings(readObject(event.session)));
  if (event.type !== "response.create") return;
  const response = readObject(event.response);
  tally.settings.sentForOne(readCostSettings(response));
  tally.asksFor(event, Array.isArray(response.input));
}

/** What is said aloud cannot be checked. */
function withoutWords(bytes: Buffer, said: readonly string[], options: OptionValues): Buffer {
  const finder = finderOf(options);
  const found = finder ? said.filter(finder) : [];
  if (found.length === 0) return bytes;
  const replaced = options.StopOnSensitiveEnabled ? null : replaceTexts(bytes, new Set(found), options.SensitiveWords);
  if (replaced) return replaced;
  throw invalid("the event contains words that are not allowed here", "sensitive_words_detected", null);
}
