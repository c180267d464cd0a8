/** What a model can read and write, in tokens. `thinks`: it writes tokens that its answers do not show. */
export type ModelLimits = {
  output: number;
  context: number;
  thinks: boolean;
  /** False = nothing is known of this model: `output` is the option's default, and it may think. */
  isKnown: boolean;
};

/** The options that say more about models, as parsed by the option registry. */
export type ModelLimitOptions = {
  ModelMaxOutput: Readonly<Record<string, number>>;
  DefaultMaxOutput: number;
};

type Row = readonly [pattern: RegExp, output: number, context: number, thinks?: "thinks"];

/** By the model's name, with or without a maker's prefix; the first match applies. As the makers publish them. */
const ROWS: readonly Row[] = [
  [/^gpt-3\.5/, 4_096, 16_385],
  [/^gpt-4-32k/, 32_768, 32_768],
  [/^gpt-4-(turbo|1106|0125|vision)/, 4_096, 128_000],
  [/^gpt-4o-2024-05-13$/, 4_096, 128_000],
  [/^(gpt-4o|chatgpt-4o)/, 16_384, 128_000],
  [/^gpt-4\.1/, 32_768, 1_047_576],
  [/^gpt-4\.5/, 16_384, 128_000],
  [/^gpt-4(-\d{4})?$/, 8_192, 8_192],
  [/^gpt-5(\.\d+)?-chat/, 16_384, 128_000],
  [/^gpt-5(\.\d+)?-pro/, 272_000, 400_000, "thinks"],
  [/^gpt-5/, 128_000, 400_000, "thinks"],
  [/^o1-mini/, 65_536, 128_000, "thinks"],
  [/^o1-preview/, 32_768, 128_000, "thinks"],
  [/^(o\d|codex-mini)/, 100_000, 200_000, "thinks"],
  [/^claude-(instant|2)/, 4_096, 200_000],
  [/^claude-3-(opus|sonnet|haiku)/, 4_096, 200_000],
  [/^claude-3-5/, 8_192, 200_000],
  // Older ones show their thinking; from version 4 on they show a summary of it.
  [/^claude-3-7/, 128_000, 200_000, "thinks"],
  [/^claude-opus-4(-1|-0|-2025\d{4})?(-|$)(?![2-9])/, 32_000, 200_000, "thinks"],
  [/^claude-(sonnet|opus|haiku)-4(-5)?(-|$)(?![6-9])/, 64_000, 1_000_000, "thinks"],
  [/^claude-/, 128_000, 1_000_000, "thinks"],
  [/^gemini-(1\.5|2\.0)/, 8_192, 2_097_152],
  [/^gemini-/, 65_536, 1_048_576, "thinks"],
  [/^deepseek-chat/, 8_192, 131_072],
  [/^deepseek-reasoner/, 65_536, 131_072],
];

const UNKNOWN_CONTEXT = 1_000_000;
const known = new Map<string, Row | null>();

function rowOf(model: string): Row | null {
  const seen = known.get(model);
  if (seen !== undefined) return seen;
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const row = ROWS.find(([pattern]) => pattern.test(name)) ?? null;
  // Clients choose model names, so the cache must be bounded.
  if (known.size >= 2_000) known.clear();
  known.set(model, row);
  return row;
}

/** The limits of a model: the operator's own maximum output, else the table's, else the option's default. */
export function limitsOf(model: string, options: ModelLimitOptions): ModelLimits {
  const row = rowOf(model);
  const own = Object.hasOwn(options.ModelMaxOutput, model) ? options.ModelMaxOutput[model] : undefined;
  return {
    output: Math.max(1, Math.floor(own ?? row?.[1] ?? options.DefaultMaxOutput)),
    context: row?.[2] ?? UNKNOWN_CONTEXT,
    thinks: thinks(model),
    isKnown: row !== null || own !== undefined,
  };
}

/** Whether a model writes tokens that its answers do not show; true where nothing is known of it. */
export function thinks(model: string): boolean {
  const row = rowOf(model);
  return row === null || row[3] === "thinks";
}
