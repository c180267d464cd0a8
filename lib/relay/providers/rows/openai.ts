import type { Rules } from "@/lib/model-rules/schema";
import { type Json, readArray } from "../../wire/canonical/json";
import type { RequestFacts } from "../../wire/dialects/dialect";
import { azure, checkAzureKey } from "../auth";
import { openaiDashboard } from "../balance-readers";
import type { Behaviours, UrlParts } from "../channel-type";
import { openai } from "../fixes/request-fixes";
import { CLOUDFLARE_GATEWAY, samePath, withoutVersion } from "../urls";

/** Cloudflare's AI Gateway expects paths without /v1. */
function openaiUrl(parts: UrlParts): string {
  const isCloudflare = parts.baseUrl.startsWith(CLOUDFLARE_GATEWAY);
  return samePath(isCloudflare ? { ...parts, path: withoutVersion(parts.path) } : parts);
}

const AZURE_API_VERSION = "2024-12-01-preview";

/** The API whose paths are those of OpenAI itself, where the body names the deployment. */
const isAzureV1 = (other: string): boolean => ["v1", "preview"].includes(other.trim());

function azureV1Url({ baseUrl, path, query, other }: UrlParts): string {
  const given = new URLSearchParams(query).get("api-version") ?? (other.trim() === "preview" ? "preview" : "");
  const version = given === "" ? "" : `?api-version=${encodeURIComponent(given)}`;
  return `${baseUrl}/openai/v1${withoutVersion(path)}${version}`;
}

function azureUrl(parts: UrlParts): string {
  const { baseUrl, path, query, model, other } = parts;
  if (isAzureV1(other)) return azureV1Url(parts);
  const version = new URLSearchParams(query).get("api-version") ?? (other.trim() || AZURE_API_VERSION);
  const prefix = baseUrl.startsWith(CLOUDFLARE_GATEWAY) ? "" : "/openai/deployments";
  // Azure's own name of GPT-3.5 has no dot; later deployments are named like their models.
  const deployment = encodeURIComponent(model.replace(/^gpt-3\.5/, "gpt-35"));
  return `${baseUrl}${prefix}/${deployment}${withoutVersion(path)}?api-version=${encodeURIComponent(version)}`;
}

/** Files and batches belong to the resource, not to a deployment. */
function azureStoredUrl(parts: UrlParts): string {
  const { baseUrl, path, query, other } = parts;
  if (isAzureV1(other)) return azureV1Url(parts);
  const version = other.trim() || AZURE_API_VERSION;
  const separator = query === "" ? "?" : "&";
  return `${baseUrl}/openai${withoutVersion(path)}${query}${separator}api-version=${encodeURIComponent(version)}`;
}

/** The deployment is in the query, except where the address is like OpenAI's own. */
function azureRealtimeUrl(parts: UrlParts): string {
  const { baseUrl, query, model, other } = parts;
  if (isAzureV1(other)) return `${baseUrl}/openai/v1/realtime?model=${encodeURIComponent(model)}`;
  const version = new URLSearchParams(query).get("api-version") ?? (other.trim() || AZURE_API_VERSION);
  const prefix = baseUrl.startsWith(CLOUDFLARE_GATEWAY) ? "" : "/openai";
  return `${baseUrl}${prefix}/realtime?api-version=${encodeURIComponent(version)}&deployment=${encodeURIComponent(model)}`;
}

const customUrl = ({ baseUrl, model }: UrlParts): string => baseUrl.replaceAll("{model}", encodeURIComponent(model));

/** What chat completions refuse: some models at all, and functions for others, always or while they think. */
function needsResponses(
  _model: string,
  { tools, reasoning_effort: effort }: Readonly<Json>,
  { asksToThink }: Pick<RequestFacts, "asksToThink">,
  { responsesOnly, chatTools, thinksUnasked }: Rules,
): boolean {
  if (responsesOnly) return true;
  if (chatTools === undefined || readArray(tools).length === 0) return false;
  if (chatTools === "never") return true;
  return effort !== "none" && (thinksUnasked === true || asksToThink);
}

export const openaiTypes = {
  openai: {
    url: openaiUrl,
    storedUrl: openaiUrl,
    quirks: { reportsStreamUsage: true, fix: openai("openai"), speaksResponses: { only: needsResponses } },
    balance: openaiDashboard,
  },
  azure: {
    url: azureUrl,
    parameters: ["api-version"],
    storedUrl: azureStoredUrl,
    serving: { realtime: { url: azureRealtimeUrl } },
    auth: azure,
    checkKey: checkAzureKey,
    quirks: {
      reportsStreamUsage: true,
      fix: openai("azure"),
      speaksResponses: { only: needsResponses, isAt: isAzureV1 },
    },
  },
  custom: {
    url: customUrl,
    quirks: { fix: openai("custom") },
    balance: openaiDashboard,
    // The base URL is the full URL of a request, so there is no path for a model list.
    modelList: null,
  },
} satisfies Behaviours;
