import { midjourneyUpstream } from "./tasks/midjourney/upstream";
import { midjourneyWire } from "./tasks/midjourney/wire";
import { videoUpstreams, videoWires } from "./tasks/platforms/video";
import { sunoUpstream } from "./tasks/suno/upstream";
import { sunoWire } from "./tasks/suno/wire";
import { taskOperation } from "./tasks/task-operation";

/** Drawings by Midjourney proxies. */
export const drawing = taskOperation("drawing", [midjourneyWire], [midjourneyUpstream]);
/** Songs and their texts by Suno proxies. */
export const music = taskOperation("music", [sunoWire], [sunoUpstream]);
/** Videos, by all makers in all their formats. */
export const videos = taskOperation("videos", videoWires, videoUpstreams);
