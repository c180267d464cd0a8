import { z } from "zod";

/** What a channel's setting JSON says (contract §4.7). */
export type ChannelSetting = {
  /** Answers are written anew in OpenAI's strict shape. */
  readonly forceFormat: boolean;
  /** What a model thinks becomes part of its text, between <think> tags. */
  readonly thinkingToContent: boolean;
  /** The body goes upstream as it came: no mapping, no fixes, no overrides. */
  readonly passThroughBody: boolean;
  /** http://, https:// or socks5://[user:password@]host:port; "" = none. */
  readonly proxy: string;
  /** Put before the messages when they have none of their own; "" = none. */
  readonly systemPrompt: string;
  /** The prompt also goes in front of a request's own. */
  readonly systemPromptOverride: boolean;
  /** In which order several keys of a channel are used: in turn, or drawn by lot. */
  readonly keyMode: KeyMode;
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
  multi_key_mode: z.enum(KEY_MODES).catch("polling"),
});

const empty = schema.parse({});

/** Reads the setting's text. What is missing or of another type counts as not set. */
export function readSetting(json: Record<string, unknown>): ChannelSetting {
  const read = schema.safeParse(json).data ?? empty;
  return {
    forceFormat: read.force_format,
    thinkingToContent: read.thinking_to_content,
    passThroughBody: read.pass_through_body_enabled,
    proxy: read.proxy.trim(),
    systemPrompt: read.system_prompt.trim(),
    systemPromptOverride: read.system_prompt_override,
    keyMode: read.multi_key_mode,
  };
}
