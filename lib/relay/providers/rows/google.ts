import { settingOf } from "../../wire/dialects/common/model-setting";
import { checkGoogleKey, googleKey, googleServiceAccount } from "../auth";
import type { Behaviours, UrlParts } from "../channel-type";
import { VERTEX } from "../fixes/claude-clouds";
import { claudeHeaders } from "../fixes/claude-headers";
import { geminiModel, geminiThinking } from "../fixes/gemini-fixes";
import { geminiModels } from "../model-lists";
import { samePath } from "../urls";
import { pathOf, vertexDialect, vertexFix, vertexUrl } from "../vertex";

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

export const googleTypes = {
  gemini: {
    url: geminiUrl,
    countUrl: (parts) => geminiMethod(parts, "countTokens"),
    serving: {
      embeddings: { url: geminiPathMethod },
      videos: { url: geminiVideos },
      images: { url: geminiPathMethod },
      image_edits: { url: geminiPathMethod },
    },
    auth: googleKey,
    quirks: { forbiddenMeansDead: true, inlineImages: true, fix: geminiThinking("gemini") },
    modelList: geminiModels,
  },
  palm: { auth: googleKey, modelList: null },
  vertex: {
    dialect: vertexDialect,
    url: (parts) => parts.baseUrl + pathOf(parts),
    keyedUrl: vertexUrl,
    auth: googleServiceAccount,
    checkKey: checkGoogleKey,
    quirks: { addHeaders: claudeHeaders, inlineImages: true, fix: vertexFix, claudeCloud: VERTEX },
    modelList: null,
  },
} satisfies Behaviours;
