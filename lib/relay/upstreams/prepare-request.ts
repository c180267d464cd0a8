import type { SnapshotChannel } from "@/lib/snapshot/store";
import { applyEdits, type Edits, scanTopLevel } from "../json-splice";
import { mapModel } from "../plan/map-model";
import type { ChatRequest } from "../stages/parse-chat";
import { overrideParameters } from "./param-override";
import { type Provider, providers } from "./providers";
import { createReshape, type Reshape } from "./reshape";
import { addSystemPrompt } from "./system-prompt";

/** A request as it goes to an upstream. */
export type UpstreamRequest = {
  origin: string;
  path: string;
  headers: string[];
  body: Buffer;
  /** The upstream's name for the model. */
  model: string;
  provider: Provider;
  /** The usage frame was asked for by us, not by the caller. */
  withholdUsage: boolean;
  /** Changes the answer on its way to the caller; null = bytes pass through. */
  reshape: Reshape | null;
};

/** The channel is not set up so that this request can be sent to it. */
export class ChannelSetupError extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

type Address = { origin: string; path: string };

/** By path, then by model. */
const addresses = new WeakMap<SnapshotChannel, Map<string, Map<string, Address>>>();

function parseAddress(url: string, channel: SnapshotChannel): Address {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new ChannelSetupError(`channel ${channel.id} has no valid base URL`, "get_channel_failed");
  }
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

function addressOf(channel: SnapshotChannel, provider: Provider, model: string, path: string, query: string): Address {
  const baseUrl = channel.baseUrl || provider.baseUrl;
  const build = (): Address =>
    parseAddress(provider.url({ baseUrl, path, query, model, other: channel.other }), channel);
  // A query is the caller's own text: nothing to remember.
  if (query !== "") return build();
  const known = addresses.get(channel) ?? new Map<string, Map<string, Address>>();
  const present = known.get(path)?.get(model);
  if (present) return present;
  const address = build();
  addresses.set(channel, known.set(path, (known.get(path) ?? new Map<string, Address>()).set(model, address)));
  return address;
}

/** Asks for the usage frame where the upstream understands it, and drops the field elsewhere. */
function addStreamEdit(edits: Edits, chat: ChatRequest, provider: Provider): void {
  const given = chat.json.stream_options;
  if (!chat.isStream || !provider.streamOptions) {
    if (given !== undefined) edits.stream_options = undefined;
    return;
  }
  if (chat.wantsUsage) return;
  const options = typeof given === "object" && given !== null ? given : {};
  edits.stream_options = { ...options, include_usage: true };
}

/** The body for the upstream: the caller's bytes with the few keys changed that have to be. */
function buildBody(chat: ChatRequest, channel: SnapshotChannel, provider: Provider, model: string): Buffer {
  const edits: Edits = {};
  if (model !== chat.model) edits.model = model;
  addStreamEdit(edits, chat, provider);
  const isPrompted = channel.setting.systemPrompt !== "";
  if (isPrompted) Object.assign(edits, addSystemPrompt(chat.json.messages, channel.setting));
  // A fix sees what the system prompt has changed.
  if (provider.fix) Object.assign(edits, provider.fix(isPrompted ? { ...chat.json, ...edits } : chat.json, model));
  Object.assign(edits, overrideParameters(chat.json, edits, channel.paramOverride));
  return applyEdits(chat.body, chat.json, chat.spans, edits);
}

function buildHeaders(channel: SnapshotChannel, key: string, provider: Provider, isStream: boolean): string[] {
  const headers = ["content-type", "application/json", "accept", isStream ? "text/event-stream" : "application/json"];
  headers.push(...provider.auth(key));
  if (provider.headers) headers.push(...provider.headers);
  if (channel.type === 1 && channel.openaiOrganization !== "") {
    headers.push("openai-organization", channel.openaiOrganization);
  }
  return headers;
}

/**
 * Puts the request into the form that the channel's upstream expects; with `passThrough`, or when the channel is set so,
 * the caller's body goes out as it came. `key` is the one whose turn it is. Throws ChannelSetupError.
 */
export function prepareRequest(
  chat: ChatRequest,
  channel: SnapshotChannel,
  path: string,
  query: string,
  passThrough = false,
  key = channel.key,
): UpstreamRequest {
  const provider = providers.get(channel.type);
  if (!provider) {
    throw new ChannelSetupError(`channel type ${channel.type} is not supported for this endpoint`, "invalid_api_type");
  }
  const isUntouched = passThrough || channel.setting.passThroughBody;
  const model = isUntouched ? chat.model : mapModel(chat.model, channel.modelMapping);
  if (model === null) {
    throw new ChannelSetupError("the channel's model mapping runs in a circle", "model_mapping_contains_cycle");
  }
  const { origin, path: upstreamPath } = addressOf(channel, provider, model, path, query);
  return {
    origin,
    path: upstreamPath,
    headers: buildHeaders(channel, key, provider, chat.isStream),
    body: isUntouched ? chat.body : buildBody(chat, channel, provider, model),
    model,
    provider,
    withholdUsage: chat.isStream && !chat.wantsUsage && !isUntouched,
    reshape: createReshape(channel.setting),
  };
}

/** A request made here rather than by a caller. */
export function chatFromJson(json: Record<string, unknown> & { model: string; messages?: unknown[] }): ChatRequest {
  const body = Buffer.from(JSON.stringify(json));
  return {
    body,
    json,
    spans: scanTopLevel(body) ?? new Map(),
    model: json.model,
    messages: json.messages ?? [],
    isStream: json.stream === true,
    wantsUsage: false,
    completionMax: null,
    choices: 1,
  };
}
