import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { pollTasks } from "@/lib/relay/side/tasks/poll-tasks";
import { startVideoUpstreams, type VideoUpstreams } from "@/lib/testing/fake-video";
import { serviceAccount } from "@/lib/testing/service-account";
import { type Relay, setUpRelay } from "./harness";

export type Videos = Relay & { makers: VideoUpstreams };
type Json = Record<string, unknown>;

export type VideoRow = Json & { taskId: string; status: string; quota: number; failReason: string };

/** USD per second; a USD is 500,000 quota. */
export const METER_PRICES = {
  "sora-t": { "second:720p": 0.001, "second:1080p": 0.002 },
  "kling-t": { "second:std": 0.001, "second:pro": 0.003, "second:pro:sound": 0.005 },
  "veo-t": { second: 0.001 },
  "veo-vertex": { second: 0.001 },
  "seedance-t": { "second:720p": 0.001, "second:1080p": 0.004 },
  ...Object.fromEntries(
    ["429", "500", "silent", "cut", "empty", "error"].map((kind) => [`sora-${kind}`, { second: 1 }]),
  ),
  "sora-two-503": { second: 0.001 },
};

const SILENT = "sora-silent";

/** The quota for so many seconds at the lowest of these prices. */
export const quotaFor = (seconds: number): number => seconds * 500;

/** A channel to each maker: sora-…, kling-t, veo-t, veo-vertex, seedance-t. */
export function setUpVideos(options: Json = {}) {
  const relay = setUpRelay({
    prices: "unused",
    options: { ModelMeterPrices: METER_PRICES, RetryTimes: "2", ...options },
    channels: [],
  }) as Videos;
  beforeAll(async () => {
    // The stand-in for Google's token endpoint is at this address.
    vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
    relay.makers = await startVideoUpstreams();
    const { url } = relay.makers;
    const sora = Object.keys(METER_PRICES).filter((model) => model.startsWith("sora-") && model !== SILENT);
    const channels = [
      { type: CHANNEL_TYPE.openai, baseUrl: `${url}/sora`, models: sora.join(",") },
      { type: CHANNEL_TYPE.kling, baseUrl: `${url}/kling`, models: "kling-t", key: "access|secret" },
      { type: CHANNEL_TYPE.gemini, baseUrl: `${url}/veo`, models: "veo-t" },
      {
        type: CHANNEL_TYPE.vertex,
        baseUrl: `${url}/vertex`,
        models: "veo-vertex",
        other: "us-central1",
        key: serviceAccount({ token_uri: `${url}/oauth/token` }),
      },
      { type: CHANNEL_TYPE.volcengine, baseUrl: `${url}/ark`, models: "seedance-t" },
      {
        type: CHANNEL_TYPE.soraVideo,
        baseUrl: `${url}/sora`,
        models: SILENT,
        setting: '{"time_limits":{"first_byte_whole":0.2,"alone":0.4}}',
      },
      {
        type: CHANNEL_TYPE.soraVideo,
        baseUrl: `${url}/sora`,
        models: "sora-two-503",
        priority: -1,
        modelMapping: JSON.stringify({ "sora-two-503": "sora-mapped" }),
      },
    ];
    for (const values of channels) relay.channelIds.push(await relay.addChannel(values));
    await relay.inForce();
  });
  beforeEach(() => {
    relay.makers.fate = { polls: 0, end: "done" };
    relay.makers.files = "whole";
  });
  afterAll(() => relay.makers.close());
  return {
    relay,
    async ask(key: string, path: string, body?: unknown, method = body === undefined ? "GET" : "POST") {
      const response = await fetch(relay.url + path, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, json: (/^[[{]/.test(text) ? JSON.parse(text) : {}) as Json };
    },
    async content(key: string, path: string, headers: Record<string, string> = {}) {
      const response = await fetch(relay.url + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
      return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
    },
    rowsOf: (user: number) => relay.database.sql<VideoRow[]>`
      select task_id as "taskId", status, progress, quota, action, platform, fail_reason as "failReason", results
      from tasks where user_id = ${user} order by id`,
    poll: () => pollTasks(relay.database.sql),
  };
}
