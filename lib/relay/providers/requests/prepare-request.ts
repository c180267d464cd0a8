import type { SnapshotChannel } from "@/lib/snapshot/store";
import { isPassedThrough, upstreamModelOf } from "@/lib/snapshot/upstream-model";
import type { RequestBody } from "../../base/large-body";
import { Secrets } from "../../base/secrets";
import type { Credentials, UpstreamRow } from "../channel-type";
import { addressWith, bodyWith, secretPairs } from "../credentials";
import { rows } from "../rows";
import { ChannelSetupError, unsupportedType } from "../setup-error";
import { awaitWork } from "./await-work";
import type { Cap, Encoded, EncodeTarget, PendingUploads, PendingWork, Sendable } from "./sendable";
import { type Stoppable, uploadFiles } from "./upload-files";
import type { UpstreamOptions } from "./upstream-options";
import type { UpstreamRequest } from "./upstream-request";

type Address = { origin: string; path: string };

/**
 * Caches of addresses by path, then by model. Separate for streams, whose URL may differ. A change of an option makes
 * new channels, because the snapshot is loaded anew.
 */
type Addresses = Map<string, Map<string, Address>>;
const addresses = {
  whole: new WeakMap<SnapshotChannel, Addresses>(),
  stream: new WeakMap<SnapshotChannel, Addresses>(),
};

function parseAddress(url: string, channel: SnapshotChannel): Address {
  if (!URL.canParse(url) || !/^(http|ws)s?:/i.test(url)) {
    throw new ChannelSetupError(`channel ${channel.id} has no valid base URL`, "get_channel_failed");
  }
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

type Place = Pick<Encoded, "path" | "query" | "url"> & {
  model: string;
  isStream: boolean;
  key: string;
  options: UpstreamOptions;
};

function addressOf(channel: SnapshotChannel, row: UpstreamRow, place: Place): Address {
  const { path, query, model, isStream, key, url, options } = place;
  const build = (): Address => {
    const parts = {
      baseUrl: channel.baseUrl || row.baseUrl,
      path,
      query,
      model,
      other: channel.other,
      isStream,
      options,
    };
    if (url) return parseAddress(url(parts), channel);
    return parseAddress(row.keyedUrl ? row.keyedUrl(parts, key) : row.url(parts), channel);
  };
  // A query is the client's own text, so caching it is useless. A channel may have several keys.
  if (query !== "" || row.keyedUrl || url) return build();
  const byChannel = isStream ? addresses.stream : addresses.whole;
  const known = byChannel.get(channel) ?? new Map<string, Map<string, Address>>();
  const present = known.get(path)?.get(model);
  if (present) return present;
  const address = build();
  byChannel.set(channel, known.set(path, (known.get(path) ?? new Map<string, Address>()).set(model, address)));
  return address;
}

export type Terms = {
  /** Send the client's body unchanged, whatever the channel's setting is. */
  passThrough: boolean;
  /** What the reservation pays for. */
  cap: Cap | null;
  options: UpstreamOptions;
  exchange?: EncodeTarget["exchange"];
};

/** What is sent to one channel with one of its keys. */
export type Question = { sendable: Sendable; channel: SnapshotChannel; key: string; terms: Terms };

/**
 * Builds the upstream request for a channel; `key` is the channel's key for this attempt. Throws or rejects with
 * ChannelSetupError or PrepareFailure.
 */
export function prepareRequest(
  intake: Sendable,
  channel: SnapshotChannel,
  key: string,
  { passThrough, cap, options, exchange }: Terms,
  stoppable: Stoppable = { stop: null },
): UpstreamRequest | Promise<UpstreamRequest> {
  const row = rows.get(channel.type);
  if (!row) throw unsupportedType(channel.type);
  const isUntouched = isPassedThrough(channel, passThrough);
  const model = upstreamModelOf(intake.model, channel, passThrough);
  if (model === null) {
    throw new ChannelSetupError("the channel's model mapping runs in a circle", "model_mapping_contains_cycle");
  }
  const encoded = intake.encode({ channel, row, model, isUntouched, cap, options, exchange });
  const sending: Sending = { intake, channel, row, model, key, options };
  const ready = (given: Encoded) =>
    given.pending
      ? whenDone(given, given.pending, sending, stoppable)
      : given.uploads
        ? uploaded(given, given.uploads, sending, stoppable)
        : addressed(given, sending);
  return encoded instanceof Promise ? encoded.then(ready) : ready(encoded);
}

type Sending = {
  intake: Sendable;
  channel: SnapshotChannel;
  row: UpstreamRow;
  model: string;
  key: string;
  options: UpstreamOptions;
};

async function uploaded(
  encoded: Encoded,
  uploads: PendingUploads,
  sending: Sending,
  stoppable: Stoppable,
): Promise<UpstreamRequest> {
  const { channel, row, key } = sending;
  const { trust, setting } = channel;
  // Throws where nothing could be sent.
  addressOf(channel, row, placeOf(encoded, sending));
  const { proxy } = setting;
  const url = `${channel.baseUrl || row.baseUrl}${uploads.path}`;
  const credentials = await row.auth(key, { url, body: signable(encoded.body), trust, proxy });
  const secrets = new Secrets(key, secretPairs(credentials), proxy);
  const ids = await uploadFiles({ ...uploads, url, headers: credentials.headers, trust, proxy, secrets }, stoppable);
  return addressed({ ...encoded, body: uploads.bodyWith(ids) }, sending);
}

/** Asks for the work, waits until it is over, and returns the request for its result. */
async function whenDone(
  encoded: Encoded,
  work: PendingWork,
  sending: Sending,
  stoppable: Stoppable,
): Promise<UpstreamRequest> {
  const { trust, setting } = sending.channel;
  const asking = await addressed(encoded, sending);
  const resultAt = async (path: string): Promise<UpstreamRequest> => {
    const asked = await addressed({ ...encoded, path, body: EMPTY, headers: [] }, sending);
    return { ...asked, method: "GET", body: EMPTY };
  };
  return awaitWork({ asking, work, resultAt, trust, proxy: setting.proxy }, stoppable);
}

const EMPTY = Buffer.alloc(0);

function placeOf({ path, query, url, isStreamed }: Encoded, { intake, model, key, options }: Sending): Place {
  return { path, query, url, model, isStream: isStreamed ?? intake.isStream, key, options };
}

function addressed(encoded: Encoded, sending: Sending): UpstreamRequest | Promise<UpstreamRequest> {
  const { intake, channel, row, model, key, options } = sending;
  const {
    method,
    body,
    pictureBytes,
    openAnswer,
    isStreamed: isStream = intake.isStream,
    hasNoLimit = false,
  } = encoded;
  const address = addressOf(channel, row, placeOf(encoded, sending));
  const { trust, setting } = channel;
  const { addHeaders } = row.quirks;
  const ofRequest = addHeaders ? addHeaders(encoded.headers, model, options) : encoded.headers;
  const signed = row.auth(key, {
    url: address.origin + address.path,
    body: signable(body),
    trust,
    proxy: setting.proxy,
  });
  const withKey = (credentials: Credentials): UpstreamRequest => {
    const { origin, path } = addressWith(address, credentials);
    return {
      method,
      origin,
      path,
      headers: buildHeaders(channel, row, isStream, encoded, credentials.headers, ofRequest),
      body: bodyWith(body, credentials),
      pictureBytes,
      model,
      openAnswer,
      hasNoLimit,
      secrets: new Secrets(key, secretPairs(credentials), setting.proxy),
      onRefused: credentials.onRefused,
    };
  };
  return signed instanceof Promise ? signed.then(withKey) : withKey(signed);
}

function buildHeaders(
  channel: SnapshotChannel,
  { quirks, editor }: UpstreamRow,
  isStream: boolean,
  { body, contentType = JSON_TYPE, accept }: Pick<Encoded, "body" | "contentType" | "accept">,
  auth: readonly string[],
  ofRequest: readonly string[],
): string[] {
  const headers = contentType === null ? [] : ["content-type", contentType];
  headers.push("accept", accept ?? (isStream ? "text/event-stream" : JSON_TYPE), "accept-encoding", "identity");
  if ("open" in body) headers.push("content-length", String(body.length));
  headers.push(...auth);
  if (quirks.headers) headers.push(...withoutNames(quirks.headers, ofRequest));
  if (quirks.headersFor) headers.push(...withoutNames(quirks.headersFor(channel.other, isStream), ofRequest));
  if (editor.hasOrganization && channel.openaiOrganization !== "") {
    headers.push("openai-organization", channel.openaiOrganization);
  }
  headers.push(...ofRequest);
  return headers;
}

const JSON_TYPE = "application/json";
const UNSIGNED = Buffer.alloc(0);

/** No scheme that signs the body is of a type that takes files. */
function signable(body: RequestBody): Buffer {
  return "open" in body ? UNSIGNED : body;
}

/** The header pairs whose names are not in `given`. */
function withoutNames(pairs: readonly string[], given: readonly string[]): string[] {
  const names = new Set(given.filter((_, at) => at % 2 === 0));
  return pairs.filter((_, at) => !names.has(pairs[at - (at % 2)] ?? ""));
}
