import { z } from "zod";
import { flag, jsonText, number, type OptionDefinition } from "../definition";

const count = number({ min: 0, integer: true });
const tokenMap = jsonText(z.record(z.string().min(1).max(255), z.number().int().min(1).max(1e9)));
const wordMap = jsonText(z.record(z.string().min(1).max(255), z.string().max(255)));
const headerMap = jsonText(
  z.record(
    z.string().min(1).max(255),
    z.record(z.string().min(1).max(255), z.union([z.string(), z.array(z.string())])),
  ),
);

/** Unused or legacy in contract §3.2. Without a card, because a switch without effect is misleading. */
const withoutEffect = {
  /** Not used: only requests are checked for forbidden words, streams are not. */
  StopOnSensitiveEnabled: { schema: flag, default: "true", delicate: false, pending: "words in answers" },
  StreamCacheQueueLength: { schema: count, default: "0", delicate: false, isUnused: true },
  FileUploadPermission: { schema: count, default: "0", delicate: false, isUnused: true },
  FileDownloadPermission: { schema: count, default: "0", delicate: false, isUnused: true },
  ImageUploadPermission: { schema: count, default: "0", delicate: false, isUnused: true },
  ImageDownloadPermission: { schema: count, default: "0", delicate: false, isUnused: true },
} as const satisfies Record<string, OptionDefinition>;

/**
 * Conversion to the native formats of two vendors. Their channels use the OpenAI-compatible interfaces; headers and
 * parameters are set per channel (extra settings and parameter override), so these site-wide options have no card.
 */
const vendorOptions = {
  "claude.model_headers_settings": { schema: headerMap, default: "{}", delicate: false, pending: "claude" },
  "claude.default_max_tokens": {
    schema: tokenMap,
    default: JSON.stringify({ default: 8192 }),
    delicate: false,
    pending: "claude",
  },
  "claude.thinking_adapter_enabled": { schema: flag, default: "true", delicate: false, pending: "claude" },
  "claude.thinking_adapter_budget_tokens_percentage": {
    schema: number({ min: 0, max: 1 }),
    default: "0.8",
    delicate: false,
    pending: "claude",
  },
  "gemini.safety_settings": {
    schema: wordMap,
    default: JSON.stringify({ default: "OFF", HARM_CATEGORY_CIVIC_INTEGRITY: "BLOCK_NONE" }),
    delicate: false,
    pending: "gemini",
  },
  "gemini.version_settings": {
    schema: wordMap,
    default: JSON.stringify({ default: "v1beta", "gemini-1.0-pro": "v1" }),
    delicate: false,
    pending: "gemini",
  },
} as const satisfies Record<string, OptionDefinition>;

/**
 * Keys of contract §3.2 that clients read and write but no card shows; each group says why. They are validated, stored
 * and listed by the API like all others.
 */
export const compatibleOptions = { ...withoutEffect, ...vendorOptions } as const;
