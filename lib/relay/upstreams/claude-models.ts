const SUFFIX = /-thinking$/;

export function isClaude(model: string): boolean {
  return /claude/i.test(model);
}

/** Whether the name asks for thinking, which Anthropic's own names do not. */
export function asksToThink(model: string): boolean {
  return isClaude(model) && SUFFIX.test(model);
}

/** Anthropic's name of the model. */
export function withoutThinking(model: string): string {
  return asksToThink(model) ? model.replace(SUFFIX, "") : model;
}
