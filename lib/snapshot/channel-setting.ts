import { z } from "zod";
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

const flag = z.boolean().catch(false);
const text = z.string().catch("");
const schema = z.object({
  force_format: flag,
  thinking_to_content: flag,
  pass_through_body_enabled: flag,
  proxy: text,
  system_prompt: text,
  system_prompt_override: flag,
  takes_prefill: flag,
  speaks_responses: flag,
  allow_stored_files: flag,
  multi_key_mode: z.enum(KEY_MODES).catch("polling"),
  time_limits: z.custom<LimitOverrides>(isLimitOverrides).nullable().catch(null),
});

const empty = schema.parse({});

/** Missing fields and fields of the wrong type get their default. */
export function readSetting(json: Record<string, unknown>): ChannelSetting {
  const read = schema.safeParse(json).data ?? empty;
  return {
    forceFormat: read.force_format,
    thinkingToContent: read.thinking_to_content,
    passThroughBody: read.pass_through_body_enabled,
    proxy: read.proxy.trim(),
    systemPrompt: read.system_prompt.trim(),
    systemPromptOverride: read.system_prompt_override,
    takesPrefill: read.takes_prefill,
    speaksResponses: read.speaks_responses,
    allowsStoredFiles: read.allow_stored_files,
    keyMode: read.multi_key_mode,
    cost: readCostSetting(json),
    timeLimits: read.time_limits,
  };
}
