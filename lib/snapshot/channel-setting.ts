import type { CostTerms } from "@/lib/billing/cost";
import { isLimitOverrides, type LimitOverrides } from "@/lib/time-limits";
import { readCostSetting } from "./cost-setting";

/** The fields of a channel's setting JSON (contract §4.7). */
export type ChannelSetting = {
  /** Answers are rewritten into OpenAI's strict shape. */
  readonly forceFormat: boolean;
  /** The model's reasoning is moved into its text, between <think> tags. */
  readonly thinkingToContent: boolean;
  /** The body is sent upstream unchanged: no model mapping, no fixes, no parameter overrides. */
  readonly passThroughBody: boolean;
  /** http://, https:// or socks5://[user:password@]host:port; "" = none. */
  readonly proxy: string;
  /** Inserted as the system prompt when a request has none; "" = none. */
  readonly systemPrompt: string;
  /** `systemPrompt` is also prepended to a request's own system prompt. */
  readonly systemPromptOverride: boolean;
  /** Its upstream goes on from the beginning of an answer as the provider of its type does, though the address is another. */
  readonly takesPrefill: boolean;
  /** Its upstream serves OpenAI's Responses API as the provider of its type does, though the address is another. */
  readonly speaksResponses: boolean;
  /** Its upstream may read what callers name in its own storage, with the rights of the channel's account. */
  readonly allowsStoredFiles: boolean;
  /** How the next key is picked when a channel has several: in rotation ("polling") or at random. */
  readonly keyMode: KeyMode;
  /** What the upstream takes for its answers. */
  readonly cost: CostTerms;
  /** Replace the time limits of options and models; null = the channel has none of its own. */
  readonly timeLimits: LimitOverrides | null;
};

export const KEY_MODES = ["polling", "random"] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/**
 * Missing fields and fields of the wrong type get their default. By hand: every load reads all channels, most name few of
 * these fields, and zod builds an error for each that `catch` replaces.
 */
export function readSetting(json: Record<string, unknown>): ChannelSetting {
  // `null` is JSON, too.
  const fields = (json as Record<string, unknown> | null) ?? {};
  const flag = (name: string): boolean => fields[name] === true;
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value.trim() : "";
  };
  return {
    forceFormat: flag("force_format"),
    thinkingToContent: flag("thinking_to_content"),
    passThroughBody: flag("pass_through_body_enabled"),
    proxy: text("proxy"),
    systemPrompt: text("system_prompt"),
    systemPromptOverride: flag("system_prompt_override"),
    takesPrefill: flag("takes_prefill"),
    speaksResponses: flag("speaks_responses"),
    allowsStoredFiles: flag("allow_stored_files"),
    keyMode: KEY_MODES.find((mode) => mode === fields.multi_key_mode) ?? "polling",
    cost: readCostSetting(json),
    timeLimits: isLimitOverrides(fields.time_limits) ? fields.time_limits : null,
  };
}
