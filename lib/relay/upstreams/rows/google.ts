import { authNotBuilt, checkGoogleKey, googleKey } from "../auth";
import type { UrlParts } from "../channel-type";
import { geminiModels } from "../model-lists";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";

const GOOGLE_API = "https://generativelanguage.googleapis.com";

function geminiUrl(parts: UrlParts): string {
  return geminiMethod(parts, parts.isStream ? "streamGenerateContent?alt=sse" : "generateContent");
}

function geminiMethod({ baseUrl, model }: UrlParts, method: string): string {
  const version = model.startsWith("gemini-1.0-pro") ? "v1" : "v1beta";
  return `${baseUrl}/${version}/models/${encodeURIComponent(model)}:${method}`;
}

const palmUrl = ({ baseUrl, model }: UrlParts): string =>
  `${baseUrl}/v1beta2/models/${encodeURIComponent(model)}:generateMessage`;

const vertexUrl = ({ baseUrl, model, isStream }: UrlParts): string =>
  `${baseUrl}/publishers/google/models/${encodeURIComponent(model)}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`;

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
    auth: googleKey,
    quirks: { forbiddenMeansDead: true, inlineImages: true },
    models: /^(gemini-|gemma-|imagen-|text-embedding-004)/,
    modelList: geminiModels,
  }),
  defineRow({
    id: CHANNEL_TYPE.palm,
    name: "Google PaLM2",
    hue: "orange",
    position: 200,
    dialect: "palm",
    baseUrl: GOOGLE_API,
    url: palmUrl,
    auth: googleKey,
    models: /^PaLM-2/,
    modelList: null,
  }),
  defineRow({
    id: CHANNEL_TYPE.vertex,
    name: "Vertex AI",
    hue: "blue",
    position: 80,
    dialect: "vertex",
    baseUrl: "",
    url: vertexUrl,
    auth: authNotBuilt,
    checkKey: checkGoogleKey,
    models: /^(claude-|gemini-)/,
    modelList: null,
    editor: { address: "none", other: "region", isKeyDocument: true, otherKeyParts: [["ApiKey"]] },
  }),
];
