import type { Capture } from "./types";

/** What the playground is filled with. Nothing of it is sent before its user sends it. */
export type Replay = {
  model: string;
  settings: {
    temperature: number | null;
    topP: number | null;
    presencePenalty: number | null;
    frequencyPenalty: number | null;
    seed: number | null;
    maxTokens: number;
    system: string;
    /** One a line. */
    stop: string;
  };
  /** What went before the last question. */
  messages: { role: "user" | "assistant"; text: string }[];
  /** The last question. */
  draft: string;
};

type Fields = Record<string, unknown>;

/** Reads a conversation in any of the formats that callers use; null = it is none, or was not kept whole. */
export function toReplay(capture: Pick<Capture, "request">, model: string): Replay | null {
  const body = capture.request.json;
  if (!isFields(body)) return null;
  const said = sayings(body);
  if (said.length === 0) return null;
  const system = [
    textOf(body.system ?? body.instructions ?? body.systemInstruction ?? body.system_instruction),
    ...said.filter(({ role }) => role === "system" || role === "developer").map(({ text }) => text),
  ];
  const talk = said.flatMap(({ role, text }) => {
    if (role !== "user" && role !== "assistant" && role !== "model") return [];
    return text === "" ? [] : [{ role: role === "user" ? ("user" as const) : ("assistant" as const), text }];
  });
  const last = talk.at(-1);
  const isAsked = last?.role === "user";
  return {
    model: typeof body.model === "string" ? body.model : model,
    settings: settingsOf(body, system.filter((text) => text !== "").join("\n\n")),
    messages: isAsked ? talk.slice(0, -1) : talk,
    draft: isAsked ? last.text : "",
  };
}

function settingsOf(body: Fields, system: string): Replay["settings"] {
  const config = isFields(body.generationConfig) ? body.generationConfig : {};
  const number = (...values: unknown[]) => {
    const found = values.find((value) => typeof value === "number" && Number.isFinite(value));
    return typeof found === "number" ? found : null;
  };
  const stop = body.stop ?? body.stop_sequences ?? config.stopSequences;
  const stops = Array.isArray(stop) ? stop : [stop];
  return {
    temperature: number(body.temperature, config.temperature),
    topP: number(body.top_p, config.topP),
    presencePenalty: number(body.presence_penalty),
    frequencyPenalty: number(body.frequency_penalty),
    seed: number(body.seed),
    maxTokens: number(body.max_completion_tokens, body.max_tokens, body.max_output_tokens, config.maxOutputTokens) ?? 0,
    system,
    stop: stops.filter((text) => typeof text === "string" && text !== "").join("\n"),
  };
}

type Saying = { role: string; text: string };

function sayings({ messages, input, contents, prompt }: Fields): Saying[] {
  if (typeof input === "string") return [{ role: "user", text: input }];
  if (typeof prompt === "string") return [{ role: "user", text: prompt }];
  const list = [messages, input, contents].find(Array.isArray) as unknown[] | undefined;
  return (list ?? []).filter(isFields).map((item) => ({
    role: typeof item.role === "string" ? item.role : "user",
    text: textOf(item.content ?? item.parts),
  }));
}

/** The texts of a content, without its pictures, files and calls. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map(textOf)
      .filter((text) => text !== "")
      .join("\n");
  if (!isFields(content)) return "";
  if (typeof content.text === "string") return content.text;
  return content.parts === undefined ? "" : textOf(content.parts);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
