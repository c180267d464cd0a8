import type { CallerDialect, UpstreamDialect } from "../dialect";
import { renderCut, renderError } from "./error";
import { readFacts } from "./facts";
import { imageUrls, withImages } from "./images";
import { readKey } from "./key";
import { asksForUsage, passEdits } from "./pass-edits";
import { passThrough } from "./pass-through";
import { createReshape } from "./reshape";
import { answerTexts, frameTexts, promptTexts, promptWords } from "./texts";
import { readUsage } from "./usage";

type Caller = Omit<CallerDialect, "decode" | "renderResponse" | "streamRenderer">;
type Upstream = Omit<UpstreamDialect, "encode" | "decode" | "streamDecoder">;

/** OpenAI's chat completions, as callers and upstreams of many makes speak it. */
export const openaiChat: { id: string; caller: Caller; upstream: Upstream } = {
  id: "openai-chat",
  caller: {
    dialect: "openai-chat",
    paths: ["/v1/chat/completions"],
    readKey,
    readFacts,
    invalidRequestCode: "invalid_text_request",
    promptWords,
    promptTexts,
    renderError,
    renderCut,
  },
  upstream: {
    path: "/v1/chat/completions",
    forwardedHeaders: [],
    passEdits,
    asksForUsage,
    readUsage,
    passThrough,
    createReshape,
    answerTexts,
    frameTexts,
    imageUrls,
    withImages,
  },
};
