import { bareName, factsOf } from "./model-facts";

/** How many tokens a prompt and its answer may have together, as the makers publish it. */
type Row = readonly [pattern: RegExp, tokens: number];

/** Models that model-facts.json does not have, such as dated ones, by the beginning of their names; the first match applies. */
const ROWS: readonly Row[] = [
  // developers.openai.com/api/docs/models/gpt-realtime-2
  [/^gpt-realtime-[2-9]/, 128_000],
  [/^gpt-realtime/, 32_000],
  [/^gpt-3\.5/, 16_385],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4-(turbo|1106|0125|vision)/, 128_000],
  [/^(gpt-4o|chatgpt-4o|gpt-4\.5)/, 128_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-4(-\d{4})?$/, 8_192],
  [/^gpt-5(\.\d+)?-chat/, 128_000],
  [/^gpt-5(-(mini|nano|pro|codex|20\d\d).*)?$/, 400_000],
  [/^o1-(mini|preview)/, 128_000],
  [/^o\d/, 200_000],
  [/^claude-(2\.1|v2:1|3|(opus|sonnet|haiku)-4(-[015])?(-20\d{6})?$)/, 200_000],
  [/^claude-(instant|2\.0|v2)/, 100_000],
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(1\.5|2\.|3(\.\d)?-(pro|flash))/, 1_048_576],
  [/^grok-4(-latest)?$/, 256_000],
  [/^sonar-deep-research/, 128_000],
];

/** What names have around that of a model, and does not change its window; each is taken off after those before it. */
const AROUND: readonly RegExp[] = [
  // Bedrock's names: a geography, a maker, and a version.
  /^((us|us-gov|eu|apac|jp|au|ca|global)\.)?(anthropic|amazon|meta|mistral|deepseek|openai|qwen)\./,
  /-v\d+(:\d+)?$/,
  // How much it is to think. Of other makers' models such a name may be another model.
  /(?<=^(claude|gemini|gpt|o\d|grok)\b.*)-(thinking(-\d+)?|nothinking|none|minimal|low|medium|high|xhigh)$/,
  // A version by its date.
  /[-@](20\d\d-?\d\d-?\d\d|\d\d-20\d\d)$/,
];

/** Null = not known. */
export function contextWindow(model: string): number | null {
  let name = bareName(model);
  let window = windowOf(model);
  for (const pattern of AROUND) {
    if (window !== null) return window;
    name = name.replace(pattern, "");
    window = windowOf(name);
  }
  return window;
}

function windowOf(model: string): number | null {
  const name = bareName(model);
  return factsOf(model).contextTokens ?? ROWS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
