import type { UpstreamOptions } from "../requests/upstream-options";

const SUFFIX = /-thinking$/;

export function isClaude(model: string): boolean {
  return /claude/i.test(model);
}

/** Whether the name asks for thinking, which Anthropic's own names do not. */
export function asksToThink(model: string, options: UpstreamOptions): boolean {
  return isClaude(model) && SUFFIX.test(model) && options["claude.thinking_adapter_enabled"];
}

/** Anthropic's name of the model. */
export function withoutThinking(model: string, options: UpstreamOptions): string {
  return asksToThink(model, options) ? model.replace(SUFFIX, "") : model;
}
