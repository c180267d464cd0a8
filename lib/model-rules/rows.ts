import { CLAUDE_ROWS } from "./rows/claude";
import { GEMINI_ROWS } from "./rows/gemini";
import { OPENAI_ROWS } from "./rows/openai";
import { OTHER_ROWS } from "./rows/others";
import { PROVIDER_ROWS, USUAL_ROWS } from "./rows/providers";
import type { RuleRow } from "./schema";

/**
 * What is known of models, in the order in which it is looked up: first where a provider differs from the makers, then the
 * families, then what is usual at a provider. A pattern is open at its end, so that a newer model has the rules of the
 * newest one of its family that is known.
 */
export const RULE_ROWS: readonly RuleRow[] = [
  ...PROVIDER_ROWS,
  ...OPENAI_ROWS,
  ...CLAUDE_ROWS,
  ...GEMINI_ROWS,
  ...OTHER_ROWS,
  ...USUAL_ROWS,
];

/** The day on which the newest row was checked, as 2026-11-28. */
export const RULES_CHECKED =
  RULE_ROWS.map(({ checked }) => checked)
    .sort()
    .at(-1) ?? "";
