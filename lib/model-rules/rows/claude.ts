import { type RuleRow, type Rules, row } from "../schema";

const DOCS = "https://platform.claude.com/docs/en";
const NEWEST: Rules = {
  thinks: "choice",
  thinksUnasked: true,
  word: "output_config",
  off: "disabled",
  efforts: ["low", "medium", "high", "xhigh", "max"],
  refusesBudgets: true,
  sampling: ["temperature", "top_p", "top_k"],
  forcedTools: true,
};

/** What Anthropic and Bedrock refuse in a schema that is kept to, and what a model can heed where it is told of it. */
export const BOUNDS: string[] = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["maxItems", "uniqueItems", "minProperties", "maxProperties", "contains", "minContains", "maxContains"],
];

/** Claude, at Anthropic and at the clouds. Versions are written with a dash or with a dot. */
export const CLAUDE_ROWS: readonly RuleRow[] = [
  row(
    "Claude before 4.5",
    /claude-(?:instant|v?[1-3](?!\d)|(?:opus|sonnet)-4(?![-.][2-9](?!\d)|\d))/,
    `${DOCS}/build-with-claude/structured-outputs`,
    { answerSchema: false },
  ),
  row(
    "Claude Sonnet 5.5 and later",
    /claude-sonnet-(?:5[-.][5-9]|[6-9]|\d\d)(?!\d)/,
    `${DOCS}/models/sonnet-5-5/migration-guide`,
    {
      ...NEWEST,
      forcedTools: false,
      off: "between_tools",
    },
  ),
  row(
    "Claude Haiku 5.5 and later",
    /claude-haiku-(?:5[-.][5-9]|[6-9]|\d\d)(?!\d)/,
    `${DOCS}/models/haiku-5-5/whats-new-haiku-5-5`,
    {
      ...NEWEST,
      forcedTools: true,
      thinks: "choice",
    },
  ),
  // Fable 5.0 still takes a forced call; it is not worth a row of its own.
  row(
    "Claude Fable, Mythos, Opus 5.5 and later",
    /claude-(?:fable|mythos)|claude-[a-z]+-(?:5[-.][5-9]|[6-9]|\d\d)(?!\d)/,
    `${DOCS}/models/opus-5-5/whats-new-opus-5-5`,
    {
      ...NEWEST,
      forcedTools: false,
      thinks: "always",
    },
  ),
  row("Claude 5", /claude-[a-z]+-(?:5|preview)(?!\d)/, `${DOCS}/build-with-claude/thinking`, {
    ...NEWEST,
    forcedTools: true,
    thinks: "choice",
  }),
  row("Claude 4.7 and 4.8", /claude-[a-z]+-4[-.][7-9](?!\d)/, `${DOCS}/build-with-claude/adaptive-thinking`, {
    ...NEWEST,
    thinksUnasked: false,
    forcedTools: true,
    thinks: "choice",
  }),
  row("Claude 4.6", /claude-[a-z]+-4[-.]6(?!\d)/, `${DOCS}/build-with-claude/adaptive-thinking`, {
    thinks: "choice",
    thinksUnasked: false,
    word: "output_config",
    off: "disabled",
    efforts: ["low", "medium", "high", "max"],
    forcedTools: true,
  }),
  row(
    "Claude before 3.7",
    /claude-(?:instant|v?[12](?!\d)|3-(?!7)|3[.]5)/,
    `${DOCS}/build-with-claude/extended-thinking`,
    { thinks: "never", forcedTools: true },
  ),
  row("Claude 3.7 to 4.5", /claude/, `${DOCS}/build-with-claude/extended-thinking`, {
    thinks: "choice",
    thinksUnasked: false,
    word: "budget",
    off: "",
    forcedTools: true,
  }),
  row("all Claude", /claude/, `${DOCS}/build-with-claude/structured-outputs`, {
    answerSchema: true,
    schemaWithout: BOUNDS,
    strictMax: { tools: 20, optional: 24, unions: 16 },
  }),
  row("all Claude", /claude/, `${DOCS}/build-with-claude/files`, { files: [] }),
];
