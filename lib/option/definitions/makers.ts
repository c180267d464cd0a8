import { z } from "zod";
import { ownRows } from "@/lib/model-rules/schema";
import { flag, jsonText, number, type OptionDefinition } from "../definition";
import {
  type HeaderMap,
  isHeaderMap,
  isSafetyMap,
  isTokenMap,
  isVersionMap,
  type SafetyMap,
  type TokenMap,
  type VersionMap,
} from "../maker-maps";

const share = number({ min: 0, max: 1 });
const claude = { delicate: false, running: "new", effect: "relay", card: "claude" } as const;
const gemini = { delicate: false, running: "new", effect: "relay", card: "gemini" } as const;

/** How requests to the models of single makers are made. */
export const makerOptions = {
  "models.rules": {
    schema: jsonText(ownRows, "modelRules"),
    default: "[]",
    ...{ delicate: false, running: "new", effect: "relay", card: "modelRules" },
  },
  "claude.default_max_tokens": {
    schema: jsonText(z.custom<TokenMap>(isTokenMap), "tokenMap"),
    default: JSON.stringify({ default: 8192 }),
    ...claude,
  },
  "claude.thinking_adapter_enabled": { schema: flag, default: "true", ...claude },
  "claude.thinking_adapter_budget_tokens_percentage": { schema: share, default: "0.8", ...claude },
  "claude.model_headers_settings": {
    schema: jsonText(z.custom<HeaderMap>(isHeaderMap), "headerMap"),
    default: "{}",
    ...claude,
  },
  "gemini.safety_settings": {
    schema: jsonText(z.custom<SafetyMap>(isSafetyMap), "safetyMap"),
    default: JSON.stringify({ default: "OFF", HARM_CATEGORY_CIVIC_INTEGRITY: "BLOCK_NONE" }),
    ...gemini,
  },
  "gemini.version_settings": {
    schema: jsonText(z.custom<VersionMap>(isVersionMap), "versionMap"),
    default: JSON.stringify({ default: "v1beta", "gemini-1.0-pro": "v1" }),
    ...gemini,
  },
  "gemini.thinking_adapter_enabled": { schema: flag, default: "true", ...gemini },
  "gemini.thinking_adapter_budget_tokens_percentage": { schema: share, default: "0.6", ...gemini },
} as const satisfies Record<string, OptionDefinition>;
