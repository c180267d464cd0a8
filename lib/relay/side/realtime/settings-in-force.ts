import { type Json, readObject } from "../../wire/canonical/json";

/** Bytes of sound in a second: PCM at 24 kHz with 16 bits, and G.711. */
export const SOUND_BYTES = { pcm: 48_000, g711: 8_000 } as const;

/** What the settings of a session or a response say about costs; null = nothing. */
export type CostSettings = {
  bytesHeard: number | null;
  bytesSpoken: number | null;
  outputMax: number | null;
  thinks: boolean;
  /** Whether the upstream answers each turn without being asked. */
  answersTurns: boolean | null;
  /** The name of the limit of what is written, where the settings have one. */
  limitName: LimitName | null;
};

/** In either version of the API. */
export type LimitName = "max_output_tokens" | "max_response_output_tokens";

/** `holder`: `session` or `response` of an event, in the words of either version. */
export function readCostSettings(holder: Json): CostSettings {
  const { input, output } = readObject(holder.audio);
  return {
    bytesHeard: bytesOf(readObject(readObject(input).format).type ?? holder.input_audio_format),
    bytesSpoken: bytesOf(readObject(readObject(output).format).type ?? holder.output_audio_format),
    outputMax: readOutputMax(holder.max_output_tokens ?? holder.max_response_output_tokens),
    thinks: holder.reasoning !== undefined && holder.reasoning !== null,
    answersTurns: readAnswersTurns(readObject(input).turn_detection ?? holder.turn_detection),
    limitName: "max_response_output_tokens" in holder ? "max_response_output_tokens" : null,
  };
}

function readAnswersTurns(detection: unknown): boolean | null {
  if (detection === undefined) return null;
  return typeof detection === "object" && detection !== null && readObject(detection).create_response !== false;
}

function bytesOf(format: unknown): number | null {
  if (typeof format !== "string" || format === "") return null;
  return /pcm[ua]|g711/.test(format) ? SOUND_BYTES.g711 : SOUND_BYTES.pcm;
}

function readOutputMax(value: unknown): number | null {
  if (typeof value === "number" && value > 0) return value;
  return value === "inf" ? Number.POSITIVE_INFINITY : null;
}

/** Those settings of a session that decide what it costs. */
export class SettingsInForce {
  /** Of the sound that the caller sends, and that it gets, in a second. */
  bytesHeard: number = SOUND_BYTES.pcm;
  bytesSpoken: number = SOUND_BYTES.pcm;
  /** Tokens that a response may write. */
  outputMax: number;
  /** The model thinks, or was told to. */
  thinks: boolean;
  answersTurns = false;
  limitName: LimitName = "max_output_tokens";
  private readonly ofModel: number;
  /** Changes by the caller to which the upstream has said nothing yet. */
  private unanswered = 0;

  constructor({ outputMax, thinks }: { outputMax: number; thinks: boolean }) {
    this.outputMax = this.ofModel = outputMax;
    this.thinks = thinks;
  }

  /** The caller changes settings: until the upstream says which are in force, the dearer ones count. */
  sent(settings: CostSettings): void {
    this.unanswered += 1;
    this.takeDearer(settings);
  }

  /** Settings that are for one response. */
  sentForOne({ bytesSpoken, thinks }: CostSettings): void {
    this.takeDearer({ bytesHeard: null, bytesSpoken, outputMax: null, thinks, answersTurns: null, limitName: null });
  }

  told(settings: CostSettings, isAnswer: boolean): void {
    if (settings.limitName) this.limitName = settings.limitName;
    if (isAnswer) this.unanswered = Math.max(0, this.unanswered - 1);
    if (this.unanswered > 0) {
      this.takeDearer(settings);
      return;
    }
    this.bytesHeard = settings.bytesHeard ?? SOUND_BYTES.pcm;
    this.bytesSpoken = settings.bytesSpoken ?? SOUND_BYTES.pcm;
    this.outputMax = settings.outputMax ?? this.ofModel;
    this.answersTurns = settings.answersTurns ?? false;
    if (settings.thinks) this.thinks = true;
  }

  private takeDearer({ bytesHeard, bytesSpoken, outputMax, thinks, answersTurns }: CostSettings): void {
    this.bytesHeard = Math.min(this.bytesHeard, bytesHeard ?? this.bytesHeard);
    this.bytesSpoken = Math.min(this.bytesSpoken, bytesSpoken ?? this.bytesSpoken);
    this.outputMax = Math.max(this.outputMax, outputMax ?? 0);
    if (thinks) this.thinks = true;
    if (answersTurns) this.answersTurns = true;
  }

  /** A change was refused. */
  refused(): void {
    this.unanswered = Math.max(0, this.unanswered - 1);
  }
}
