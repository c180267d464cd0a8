import { chat } from "./chat";
import { completions } from "./completions";
import { embeddings } from "./embeddings";
import { imageEdits, images } from "./images";
import { moderations } from "./moderations";
import type { Operation } from "./operation";
import { realtime } from "./realtime";
import { rerank } from "./rerank";
import { speech } from "./speech";
import { midjourneyUpstream } from "./tasks/midjourney/upstream";
import { midjourneyWire } from "./tasks/midjourney/wire";
import { videoUpstreams, videoWires } from "./tasks/platforms/video";
import { sunoUpstream } from "./tasks/suno/upstream";
import { sunoWire } from "./tasks/suno/wire";
import { taskOperation } from "./tasks/task-operation";
import { transcriptions } from "./transcriptions";

/** Drawings by Midjourney proxies. */
const drawing = taskOperation("drawing", [midjourneyWire], [midjourneyUpstream]);
/** Songs and their texts by Suno proxies. */
const music = taskOperation("music", [sunoWire], [sunoUpstream]);
/** Videos, by all makers in all their formats. */
const videos = taskOperation("videos", videoWires, videoUpstreams);

/** All operations that clients can request. */
export const operations: readonly Operation[] = [
  chat,
  completions,
  embeddings,
  rerank,
  moderations,
  images,
  imageEdits,
  speech,
  transcriptions,
  realtime,
  drawing,
  music,
  videos,
];
