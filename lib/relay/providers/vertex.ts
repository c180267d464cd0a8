import { z } from "zod";
import { isDocument } from "./auth/google";
import { serviceAccountOf } from "./auth/service-account";
import type { RequestFix, UrlParts } from "./channel-type";
import { vertexClaude } from "./fixes/claude-fixes";
import { isClaude, withoutThinking } from "./fixes/claude-models";
import { geminiModel, geminiThinking, withoutCallIds } from "./fixes/gemini-fixes";
import { inTurn } from "./fixes/message-fixes";
import type { UpstreamOptions } from "./requests/upstream-options";
import { ChannelSetupError } from "./setup-error";

const REGION_DEFAULT = "global";
const VIDEO_METHOD = ":predictLongRunning";
/** A question about what was submitted there. */
const OPERATION = /^\/v1\/projects\/[^/]+\/locations\/([a-z0-9-]+)\/.*:fetchPredictOperation$/;
const regionMap = z.record(z.string(), z.string());
/** Regions whose requests may go to any place of a continent, and have a host of another form. */
const CONTINENTS = new Set(["us", "eu"]);

/** The wire format of a model on Vertex AI. */
export function vertexDialect(model: string): string {
  if (isClaude(model)) return "anthropic-messages";
  return model.startsWith("gemini") ? "gemini-generate-content" : "openai-chat";
}

const vertexGemini = inTurn(withoutCallIds, geminiThinking("vertex"));

export const vertexFix: RequestFix = (json, model, options) => {
  if (isClaude(model)) return vertexClaude(json, model, options);
  return model.startsWith("gemini") ? vertexGemini(json, model, options) : {};
};

/** The address of a model in the project of a service account, or without a project for an API key. */
export function vertexUrl(parts: UrlParts, key: string): string {
  const { baseUrl, model, path } = parts;
  const [, place] = OPERATION.exec(path) ?? [];
  if (place) return `${baseUrl || hostOf(place)}${path}`;
  const region = regionOf(parts);
  const base = `${baseUrl || hostOf(region)}/v1`;
  if (isDocument(key)) {
    const place = `${base}/projects/${serviceAccountOf(key).projectId}/locations/${region}`;
    return place + pathOf(parts);
  }
  if (vertexDialect(model) !== "gemini-generate-content") {
    const message = "an API key of Vertex AI is for Gemini only; other models need a service account";
    throw new ChannelSetupError(message, "get_channel_failed");
  }
  return base + pathOf(parts);
}

/** The part of the address after the place. */
export function pathOf({
  path,
  model,
  isStream,
  options,
}: Pick<UrlParts, "path" | "model" | "isStream" | "options">): string {
  if (path.endsWith(VIDEO_METHOD)) return `/publishers/google/models/${encodeURIComponent(model)}${VIDEO_METHOD}`;
  switch (vertexDialect(model)) {
    case "anthropic-messages":
      return `/publishers/anthropic/models/${encodeURIComponent(claudeName(model, options))}:${isStream ? "streamRawPredict" : "rawPredict"}`;
    case "gemini-generate-content":
      return `/publishers/google/models/${encodeURIComponent(geminiModel(model, options))}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
    default:
      return "/endpoints/openapi/chat/completions";
  }
}

function hostOf(region: string): string {
  if (region === REGION_DEFAULT) return "https://aiplatform.googleapis.com";
  if (CONTINENTS.has(region)) return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/** The channel's field is a region, or JSON with regions by model and a default. */
function regionOf({ other, model, options }: UrlParts): string {
  const given = other.trim();
  const region = given.startsWith("{") ? regionIn(given, model, options) : given;
  if (!/^[a-z0-9-]*$/.test(region)) throw invalidRegion();
  return region || REGION_DEFAULT;
}

function regionIn(text: string, model: string, options: UpstreamOptions): string {
  try {
    const regions = new Map(Object.entries(regionMap.parse(JSON.parse(text))));
    const names = [model, withoutThinking(geminiModel(model, options), options), "default"];
    return names.map((name) => regions.get(name)?.trim()).find((region) => region) ?? "";
  } catch {
    throw invalidRegion();
  }
}

function invalidRegion(): ChannelSetupError {
  const message = "the region must be one of Google's such as us-central1, or JSON with regions by model";
  return new ChannelSetupError(message, "get_channel_failed");
}

/** Google writes an @ before the date. */
function claudeName(model: string, options: UpstreamOptions): string {
  const name = withoutThinking(model, options);
  if (name === "claude-3-5-sonnet-20241022") return "claude-3-5-sonnet-v2@20241022";
  return name.replace(/-(?=\d{8}$)/, "@");
}
