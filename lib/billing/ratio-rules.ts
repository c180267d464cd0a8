/** Completion ratios by model name (contract §5.3) for models without one in a price list; the first match applies. */
const COMPLETION_RULES: readonly (readonly [pattern: RegExp, ratio: number])[] = [
  [/^gpt-4o-gizmo-/, 3],
  [/^gpt-4o-2024-05-13$/, 3],
  [/^gpt-4o/, 4],
  [/^gpt-4\.5-preview/, 2],
  [/^gpt-4\.1/, 4],
  [/^gpt-4-turbo|^gpt-4-.*(1106|1105)$/, 3],
  [/^gpt-4/, 2],
  [/^gpt-5/, 8],
  [/^o[134]/, 4],
  [/^chatgpt-4o-latest$/, 3],
  [/claude-instant-1|claude-2/, 3],
  [/claude/, 5],
  [/^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, 3],
  [/^gpt-3\.5.*1106$/, 2],
  [/^gpt-3\.5/, 4 / 3],
  [/^mistral-/, 3],
  [/^gemini-(1\.5|2\.0)/, 4],
  [/^gemini-2\.5-pro/, 8],
  [/^gemini-2\.5-flash/, 2.5 / 0.3],
  [/^gemini-3-pro/, 6],
  [/^gemini-/, 4],
  [/^command-r$/, 3],
  [/^command-r-plus$/, 5],
  [/^command/, 4],
  [/^deepseek-(chat|reasoner)$/, 4],
  [/^grok-/, 5],
  [/^ERNIE-(Speed-|Lite-|Character|Functions)/, 2],
  [/^llama2-70b-4096$/, 0.8 / 0.64],
  [/^llama3-8b-8192$/, 2],
  [/^llama3-70b-8192$/, 0.79 / 0.59],
];

const known = new Map<string, number>();

/** Price of a completion token relative to a prompt token, by the model's name; 1 without a match. */
export function completionRatioOf(model: string): number {
  const seen = known.get(model);
  if (seen !== undefined) return seen;
  const ratio = COMPLETION_RULES.find(([pattern]) => pattern.test(model))?.[1] ?? 1;
  // Clients choose model names, so the cache must be bounded.
  if (known.size >= 2_000) known.clear();
  known.set(model, ratio);
  return ratio;
}
