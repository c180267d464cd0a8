import { settingOf } from "../../wire/dialects/common/model-setting";
import { checkGoogleKey, googleKey, googleServiceAccount } from "../auth";
import type { UrlParts } from "../channel-type";
import { VERTEX } from "../fixes/claude-clouds";
import { claudeHeaders } from "../fixes/claude-headers";
import { geminiModel, geminiThinking } from "../fixes/gemini-fixes";
import { geminiModels } from "../model-lists";
import { samePath } from "../urls";
import { pathOf, vertexDialect, vertexFix, vertexUrl } from "../vertex";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";

const GOOGLE_API = "https://generativelanguage.googleapis.com";

function geminiUrl(parts: UrlParts): string {
  return geminiMethod(parts, parts.isStream ? "streamGenerateContent?alt=sse" : "generateContent");
}

function geminiMethod({ baseUrl, model: given, options }: UrlParts, method: string): string {
  const model = geminiModel(given, options);
  const version = settingOf(options["gemini.version_settings"], model) ?? "v1beta";
  return `${baseUrl}/${version}/models/${encodeURIComponent(model)}:${method}`;
}

/** The path names the method. */
function geminiPathMethod(parts: UrlParts): string {
  return geminiMethod(parts, parts.path.slice(parts.path.lastIndexOf(":") + 1));
}

/** Submissions name a model; questions about them, and their files, have paths of their own. */
function geminiVideos(parts: UrlParts): string {
  return parts.path.endsWith(":predictLongRunning") ? geminiPathMethod(parts) : samePath(parts);
}

export const googleRows = [
  defineRow({
    id: CHANNEL_TYPE.gemini,
    name: "Google Gemini",
    hue: "orange",
    position: 190,
    dialect: "gemini-generate-content",
    baseUrl: GOOGLE_API,
    url: geminiUrl,
    countUrl: (parts) => geminiMethod(parts, "countTokens"),
    serves: {
      embeddings: { format: "gemini", url: geminiPathMethod },
      videos: { format: "veo", url: geminiVideos },
      images: { format: "google", url: geminiPathMethod },
      image_edits: { format: "google", url: geminiPathMethod },
    },
    auth: googleKey,
    quirks: { forbiddenMeansDead: true, inlineImages: true, fix: geminiThinking("gemini") },
    models: /^(gemini-|gemma-|imagen-|veo-|text-embedding-004)/,
    modelList: geminiModels,
  }),
  defineRow({
    id: CHANNEL_TYPE.palm,
    name: "Google PaLM2",
    hue: "orange",
    position: null,
    dialect: null,
    retired: "Google shut PaLM down in 2024; use a Google Gemini channel",
    baseUrl: GOOGLE_API,
    auth: googleKey,
    models: /^PaLM-2/,
    test: null,
    modelList: null,
  }),
  defineRow({
    id: CHANNEL_TYPE.vertex,
    name: "Vertex AI",
    hue: "blue",
    position: 80,
    dialect: vertexDialect,
    baseUrl: "",
    url: (parts) => parts.baseUrl + pathOf(parts),
    keyedUrl: vertexUrl,
    serves: { videos: { format: "vertex" } },
    auth: googleServiceAccount,
    checkKey: checkGoogleKey,
    quirks: { addHeaders: claudeHeaders, inlineImages: true, fix: vertexFix, claudeCloud: VERTEX },
    models: /^(claude-|gemini-|veo-)/,
    modelList: null,
    editor: { address: "none", other: "region", isKeyDocument: true, otherKeyParts: [["ApiKey"]] },
  }),
];
