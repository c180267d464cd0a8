import { afterAll, beforeAll, beforeEach } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { pollTasks } from "@/lib/relay/side/tasks/poll-tasks";
import { startTaskProxies, type TaskProxies } from "@/lib/testing/fake-task-proxies";
import { type Relay, setUpRelay } from "./harness";

const DRAWINGS = [
  ..."imagine,upscale,variation,reroll,blend,describe,upload,shorten,modal,inpaint,zoom,custom_zoom".split(","),
  ..."pan,high_variation,low_variation".split(","),
].map((name) => `mj_${name}`);

export type Tasks = Relay & { proxies: TaskProxies };
type Json = Record<string, unknown>;

export type TaskRow = Json & { id: number; taskId: string; status: string; quota: number; upstreamId: string };

/** A channel to each proxy: Midjourney Plus (mj_… and swap_face) and Suno. Built-in prices: $0.1 for most. */
export function setUpTasks(options: Json = {}) {
  const relay = setUpRelay({ prices: "unused", options, channels: [] }) as Tasks;
  beforeAll(async () => {
    relay.proxies = await startTaskProxies();
    const baseUrl = relay.proxies.url;
    const models = [...DRAWINGS, "swap_face"].join(",");
    relay.channelIds.push(await relay.addChannel({ type: CHANNEL_TYPE.midjourneyPlus, baseUrl, models }));
    relay.channelIds.push(
      await relay.addChannel({ type: CHANNEL_TYPE.suno, baseUrl, models: "suno_music,suno_lyrics" }),
    );
    await relay.inForce();
  });
  beforeEach(() => {
    relay.proxies.behaviour.submit = null;
    relay.proxies.behaviour.poll = null;
  });
  afterAll(() => relay.proxies.close());
  return {
    relay,
    async ask(key: string, path: string, body?: unknown, method = body === undefined ? "GET" : "POST") {
      const response = await fetch(relay.url + path, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = (/^[[{]/.test(text) ? JSON.parse(text) : {}) as Json;
      return { status: response.status, text, json, headers: response.headers };
    },
    rowsOf: (user: number) => relay.database.sql<TaskRow[]>`
      select id, task_id as "taskId", status, progress, quota, action, code, platform, upstream_id as "upstreamId",
        fail_reason as "failReason", results, data, request_id as "requestId", channel_id as "channelId", prompt
      from tasks where user_id = ${user} order by id`,
    poll: (settings: Parameters<typeof pollTasks>[1] = {}) => pollTasks(relay.database.sql, settings),
  };
}
