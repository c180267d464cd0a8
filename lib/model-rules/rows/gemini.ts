import { type RuleRow, row } from "../schema";

const THINKING = "https://ai.google.dev/gemini-api/docs/generate-content/thinking";

/** Google's models, at Google AI and at Vertex AI. */
export const GEMINI_ROWS: readonly RuleRow[] = [
  row("Gemini up to 2.0, Gemma, LearnLM", /gemini-(?:1|2(?:\.[0-4])?(?![.\d]))|gemma|learnlm/, THINKING, {
    thinks: "never",
  }),
  row("Gemini 2.5 Pro", /gemini-2\.\d+-pro/, THINKING, {
    thinks: "always",
    thinksUnasked: true,
    word: "thinkingBudget",
    budget: { min: 128, max: 32768 },
  }),
  row("Gemini 2.5 Flash-Lite", /gemini-2\.\d+-flash-lite/, THINKING, {
    thinks: "choice",
    thinksUnasked: false,
    word: "thinkingBudget",
    budget: { min: 512, max: 24576 },
  }),
  row(
    "Gemini 3.5 and later",
    /gemini-(?:3\.[5-9]|3\.\d\d|[4-9]|\d\d)/,
    "https://ai.google.dev/gemini-api/docs/gemini-3",
    { sampling: ["presencePenalty", "frequencyPenalty"] },
  ),
  row("Gemini 3 to 3.5 Flash", /gemini-3(?:\.[0-5])?-flash/, THINKING, {
    thinks: "always",
    thinksUnasked: true,
    word: "level",
    efforts: ["minimal", "low", "medium", "high"],
  }),
  row("Gemini 3 Pro", /gemini-3-pro/, THINKING, {
    thinks: "always",
    thinksUnasked: true,
    word: "level",
    efforts: ["low", "high"],
  }),
  row("Gemini 3 and later", /gemini-(?:[3-9]|\d\d)/, THINKING, {
    thinks: "always",
    thinksUnasked: true,
    word: "level",
    efforts: ["low", "medium", "high"],
  }),
  row("Gemini 2.5 Flash", /gemini/, THINKING, {
    thinks: "choice",
    thinksUnasked: true,
    word: "thinkingBudget",
    budget: { min: 1, max: 24576 },
  }),
];
