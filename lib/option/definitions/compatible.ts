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

/**
 * Keys of contract §3.2 that clients read and write although no card shows them: settings of single vendors, and those
 * that have had no effect for long. They are checked and kept like every other.
 */
export const compatibleOptions = {
  StopOnSensitiveEnabled: { schema: flag, default: "true" },
  StreamCacheQueueLength: { schema: count, default: "0" },
  FileUploadPermission: { schema: count, default: "0" },
  FileDownloadPermission: { schema: count, default: "0" },
  ImageUploadPermission: { schema: count, default: "0" },
  ImageDownloadPermission: { schema: count, default: "0" },
  "claude.model_headers_settings": { schema: headerMap, default: "{}", effect: "relay" },
  "claude.default_max_tokens": { schema: tokenMap, default: JSON.stringify({ default: 8192 }), effect: "relay" },
  "claude.thinking_adapter_enabled": { schema: flag, default: "true", effect: "relay" },
  "claude.thinking_adapter_budget_tokens_percentage": {
    schema: number({ min: 0, max: 1 }),
    default: "0.8",
    effect: "relay",
  },
  "gemini.safety_settings": {
    schema: wordMap,
    default: JSON.stringify({ default: "OFF", HARM_CATEGORY_CIVIC_INTEGRITY: "BLOCK_NONE" }),
    effect: "relay",
  },
  "gemini.version_settings": {
    schema: wordMap,
    default: JSON.stringify({ default: "v1beta", "gemini-1.0-pro": "v1" }),
    effect: "relay",
  },
  "global.pass_through_request_enabled": { schema: flag, default: "false", effect: "relay" },
} as const satisfies Record<string, OptionDefinition>;
