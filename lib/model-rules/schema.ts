import { z } from "zod";
import { isSafePattern } from "@/lib/patterns";

/** Who serves a model: the names of channel types whose requests depend on the model. */
export const PROVIDERS = [
  ...["anthropic", "azure", "bedrock", "cloudflare", "cohere", "custom", "dashscope", "deepseek", "gemini"],
  ...["hunyuan", "minimax", "mistral", "moonshot", "ollama", "openai", "openrouter", "qianfan", "siliconflow"],
  ...["vertex", "volcengine", "xai", "xinference", "zhipu"],
] as const;
export type Provider = (typeof PROVIDERS)[number];

/** How much a model may think, in ascending order. */
export const EFFORT_WORDS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type EffortWord = (typeof EFFORT_WORDS)[number];

/** In which field thinking is asked for. */
export const THINKING_WORDS = [
  /** `reasoning_effort`, in the Responses API `reasoning.effort`; "none" switches it off. */
  "effort",
  /** `reasoning: { effort }` or `{ max_tokens }`, also in chat completions. */
  "reasoning",
  /** `thinking: { type: "enabled" | "disabled" }`, with `reasoning_effort` where the model has efforts. */
  "thinking",
  /** The same with "adaptive" for "enabled". */
  "adaptive",
  /** `thinking: { type: "adaptive" | "disabled" }`, with `output_config.effort`. */
  "output_config",
  /** `thinking: { type: "enabled", budget_tokens }`. */
  "budget",
  /** `enable_thinking`, with `thinking_budget`. */
  "enable_thinking",
  /** `chat_template_kwargs: { enable_thinking, thinking }`, as vLLM, SGLang and servers with them take it. */
  "chat_template_kwargs",
  /** `thinkingConfig.thinkingLevel`. */
  "level",
  /** `thinkingConfig.thinkingBudget`. */
  "thinkingBudget",
  /** `reasoningConfig`. */
  "reasoningConfig",
] as const;

const count = z.int().min(0).max(1_000_000);
const field = z.string().min(1).max(64);

/** What is known of a model. A column that is absent is not known, and nothing is changed for it. */
const columns = {
  thinks: z.enum(["never", "choice", "always"]).optional(),
  /** It thinks unless it is told not to. */
  thinksUnasked: z.boolean().optional(),
  word: z.enum(THINKING_WORDS).optional(),
  /** The `thinking.type` that switches it off in Anthropic's format, by default "disabled"; "" = nothing need be said. */
  off: z.enum(["disabled", "between_tools", ""]).optional(),
  /** The efforts that it knows, in ascending order; all others are refused. */
  efforts: z.array(z.enum(EFFORT_WORDS)).max(EFFORT_WORDS.length).optional(),
  /** It refuses a thinking budget. */
  refusesBudgets: z.boolean().optional(),
  /** The bounds of its thinking budget. */
  budget: z.strictObject({ min: count, max: count }).optional(),
  /** It can be asked to think in streams only. */
  thinksInStreams: z.boolean().optional(),
  /** Which thoughts of earlier turns are sent back to it, besides those since the user's last message. */
  thoughtsBack: z.enum(["calls", "all"]).optional(),
  /** Fields that it refuses while it thinks. */
  sampling: z.array(field).max(20).optional(),
  /** Those are taken again when it is told not to think. */
  samplingWithoutThoughts: z.boolean().optional(),
  /** The field of a limit in chat completions. */
  limit: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
  /** Chat completions take functions: while it does not think, or never; absent = always. */
  chatTools: z.enum(["without thoughts", "never"]).optional(),
  /** It is served in the Responses API alone. */
  responsesOnly: z.boolean().optional(),
  /** Whether a call of a tool can be forced; "without thoughts" = while it does not think. */
  forcedTools: z.union([z.boolean(), z.literal("without thoughts")]).optional(),
  /** False = its answer cannot be held to a schema. */
  answerSchema: z.boolean().optional(),
  /** Words that a schema may not have which is kept to, in tools and answers; they are told in descriptions. */
  schemaWithout: z.array(field).max(40).optional(),
  /** How many tools of a request may be strict, and how many properties that need not be given and choices of types are in them. */
  strictMax: z.strictObject({ tools: count, optional: count, unions: count }).optional(),
  /** The role that messages of the developer get in chat completions; "by address" = theirs where the provider itself is asked. */
  developer: z.enum(["developer", "system", "by address"]).optional(),
  /** Media types of documents that it takes as they are, besides PDF; a star stands for all of a kind. Other text is sent as text. */
  files: z
    .array(z.string().regex(/^[\w.+-]+\/(?:[\w.+-]+|\*)$/))
    .max(30)
    .optional(),
};

const rules = z.strictObject(columns);
export type Rules = Readonly<z.output<typeof rules>>;

/** A row of an operator. */
export const ownRow = z.strictObject({
  /** A regular expression; names are in lower case, without a maker before a slash. */
  models: z.string().refine(isSafePattern),
  /** At these providers; absent = everywhere. */
  at: z.array(z.enum(PROVIDERS)).min(1).optional(),
  /** The name of a model whose rules hold, too, as for a deployment with a name of its own. */
  like: z.string().min(1).max(255).optional(),
  ...columns,
});
export type OwnRow = Readonly<z.output<typeof ownRow>>;

/** The rows that an operator adds; they take precedence over those of Weir. */
export const ownRows = z.array(ownRow).max(200);

/** A built-in row. Of several that match, the first with a value counts, for each column. */
export type RuleRow = Rules & {
  family: string;
  models: RegExp;
  at?: readonly Provider[];
  /** Where its maker or provider says so. */
  source: string;
  /** When that was read last. */
  checked: string;
};

/** The day on which all rows were compared with their sources. A row that is changed later says its own day. */
const CHECKED = "2026-11-28";

type RowRules = Rules & { at?: readonly Provider[]; checked?: string };

export function row(family: string, models: RegExp, source: string, rules: RowRules): RuleRow {
  return { checked: CHECKED, ...rules, family, models, source };
}
