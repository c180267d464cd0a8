/** Parameters sent with every question; null = not set. */
export type PlaygroundSettings = {
  group: string;
  /** Null is sent as 0, the default of B301; the slider covers 0.1 to 1 (decision T5). */
  temperature: number | null;
  /** 0 = no limit. */
  maxTokens: number;
  system: string;
  topP: number | null;
  presencePenalty: number | null;
  frequencyPenalty: number | null;
  seed: number | null;
  /** One stop sequence per line. */
  stop: string;
};

export const TEMPERATURE = { min: 0.1, max: 1, step: 0.1 } as const;

export const DEFAULT_MODEL = "gpt-4o-mini";

export const newSettings = (group: string): PlaygroundSettings => ({
  group,
  temperature: null,
  maxTokens: 0,
  system: "",
  topP: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: null,
  stop: "",
});

/** The initial model: the wanted one, else the default, else the first in the list. */
export function chooseModel(models: readonly string[], wanted?: string | null): string {
  if (wanted && models.includes(wanted)) return wanted;
  return models.includes(DEFAULT_MODEL) ? DEFAULT_MODEL : (models[0] ?? "");
}

type WireMessage = { role: string; content: string };

/** The body of POST /pg/chat/completions: the fields of B256 plus the parameters that are set. */
export function toRequestBody(settings: PlaygroundSettings, model: string, messages: readonly WireMessage[]) {
  return {
    messages,
    stream: true,
    stream_options: { include_usage: true },
    model,
    group: settings.group,
    max_tokens: settings.maxTokens,
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...toMoreParameters(settings),
  };
}

/** The parameters that B256 does not list, if set, with their API names. */
export function toMoreParameters(settings: PlaygroundSettings): Record<string, number | string[]> {
  const stop = settings.stop.split("\n").filter((line) => line !== "");
  return {
    ...(settings.topP === null ? {} : { top_p: settings.topP }),
    ...(settings.presencePenalty === null ? {} : { presence_penalty: settings.presencePenalty }),
    ...(settings.frequencyPenalty === null ? {} : { frequency_penalty: settings.frequencyPenalty }),
    ...(settings.seed === null ? {} : { seed: settings.seed }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}
