import { bareName, factsOf } from "./model-facts";

/** What a model can write, in tokens. */
export type ModelLimits = {
  output: number;
  /** It writes tokens that its answers do not show: in no case, when a request asks for it, or of itself. */
  thinks: "never" | "asked" | "always";
  /** False = nothing is known of this model: `output` is the option's default, and it may think. */
  isKnown: boolean;
};

/** The options that say more about models, as parsed by the option registry. */
export type ModelLimitOptions = {
  ModelMaxOutput: Readonly<Record<string, number>>;
  DefaultMaxOutput: number;
};

type Row = readonly [pattern: RegExp, output: number, thinks: ModelLimits["thinks"]];

/**
 * Models by the beginning of their names, with or without a maker's prefix; the first match applies. For names that
 * model-facts.json does not have, such as dated ones, and for what no list says: whether a model thinks unseen.
 */
const ROWS: readonly Row[] = [
  // developers.openai.com/api/docs/models/gpt-realtime-2
  [/^gpt-realtime-[2-9]/, 32_000, "always"],
  [/^gpt-realtime/, 4_096, "never"],
  [/^gpt-3\.5/, 4_096, "never"],
  [/^gpt-4-32k/, 32_768, "never"],
  [/^gpt-4-(turbo|1106|0125|vision)/, 4_096, "never"],
  [/^gpt-4o-2024-05-13$/, 4_096, "never"],
  [/^(gpt-4o|chatgpt-4o)/, 16_384, "never"],
  [/^gpt-4\.1/, 32_768, "never"],
  [/^gpt-4\.5/, 16_384, "never"],
  [/^gpt-4(-\d{4})?$/, 8_192, "never"],
  [/^gpt-5(\.\d+)?-chat/, 16_384, "never"],
  [/^gpt-5-pro/, 272_000, "always"],
  [/^gpt-5/, 128_000, "always"],
  [/^o1-mini/, 65_536, "always"],
  [/^o1-preview/, 32_768, "always"],
  [/^(o\d|codex-mini)/, 100_000, "always"],
  [/^claude-(instant|2)/, 4_096, "never"],
  [/^claude-3-(opus|sonnet|haiku)/, 4_096, "never"],
  [/^claude-3-5/, 8_192, "never"],
  [/^claude-3-7/, 128_000, "asked"],
  [/^claude-opus-4(-1|-0|-2025\d{4})?(-|$)(?![2-9])/, 32_000, "asked"],
  [/^claude-(sonnet|opus|haiku)-4(-5)?(-|$)(?![6-9])/, 64_000, "asked"],
  [/^claude-/, 128_000, "asked"],
  [/^gemini-(1\.5|2\.0)/, 8_192, "never"],
  [/^gemini-/, 65_536, "always"],
  [/^deepseek-chat/, 8_192, "never"],
  [/^deepseek-reasoner/, 65_536, "never"],
  // Its thoughts come on top of its answer: up to 193,947 of them have been reported.
  [/^sonar-deep-research/, 256_000, "always"],
];

/** Models that read what they search for, without a tool in the request, and count it as a prompt. */
const READS_BY_ITSELF = /^sonar-deep-research/;

const known = new Map<string, Row | null>();

function rowOf(model: string): Row | null {
  const seen = known.get(model);
  if (seen !== undefined) return seen;
  const name = bareName(model);
  const row = ROWS.find(([pattern]) => pattern.test(name)) ?? null;
  // Clients choose model names, so the cache must be bounded.
  if (known.size >= 2_000) known.clear();
  known.set(model, row);
  return row;
}

/**
 * The limits of a model. The maximum output is the operator's own, else that of model-facts.json, else the table's, else
 * the option's default.
 */
export function limitsOf(model: string, options: ModelLimitOptions): ModelLimits {
  const row = rowOf(model);
  const own = Object.hasOwn(options.ModelMaxOutput, model) ? options.ModelMaxOutput[model] : undefined;
  const output = own ?? factsOf(model).maxOutputTokens ?? row?.[1];
  return {
    output: Math.max(1, Math.floor(output ?? options.DefaultMaxOutput)),
    thinks: row?.[2] ?? "always",
    isKnown: output !== undefined,
  };
}

/** Whether a model reads tokens that the request does not show, whatever it asks for. */
export function readsByItself(model: string): boolean {
  return READS_BY_ITSELF.test(bareName(model));
}

/** Whether a model is known to write tokens that no event of a session shows, whatever it is asked. */
export function isKnownToThink(model: string): boolean {
  return rowOf(model)?.[2] === "always";
}

/** Whether a model can write tokens that its answers do not show; true where nothing is known of it. */
export function mayThink(model: string): boolean {
  return rowOf(model)?.[2] !== "never";
}
