import { midjourneyUpstream } from "./midjourney/upstream";
import type { TaskUpstream } from "./platform";
import { videoUpstreams } from "./platforms/video";
import { sunoUpstream } from "./suno/upstream";

/** All kinds of upstreams that take tasks, by the platform of their rows. */
export const taskUpstreams: ReadonlyMap<string, TaskUpstream<unknown>> = new Map(
  [midjourneyUpstream, sunoUpstream, ...videoUpstreams].map((upstream) => [
    upstream.id,
    upstream as TaskUpstream<unknown>,
  ]),
);
