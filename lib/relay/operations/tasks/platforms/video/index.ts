import { arkUpstream } from "./ark-upstream";
import { arkVideos } from "./ark-wire";
import { commonVideos } from "./common-wire";
import { klingUpstream } from "./kling-upstream";
import { klingVideos } from "./kling-wire";
import { openaiUpstream } from "./openai-upstream";
import { openaiVideos } from "./openai-wire";
import { veoUpstream, vertexUpstream } from "./veo-upstream";
import { veoVideos } from "./veo-wire";

/** How callers ask for videos. */
export const videoWires = [openaiVideos, commonVideos, klingVideos, veoVideos, arkVideos];

/** Who makes them. */
export const videoUpstreams = [openaiUpstream, klingUpstream, veoUpstream, vertexUpstream, arkUpstream];
