import type { Json } from "../../wire/canonical/json";
import { defaultDialect } from "../../wire/dialects";
import { plainText } from "../../wire/dialects/common/plain-content";
import type { Dialect, Edits, RequestFacts, UpstreamFormat, UpstreamTarget } from "../../wire/dialects/dialect";
import { workersAi } from "../../wire/dialects/workers-ai";
import { decodeRequest } from "./decode-request";
import { capEdits, promptTexts, promptWords, readCompletionMax, readConversation, readFacts } from "./facts";
import { answerTexts, createStreamRenderer, cutShort, renderResponse } from "./render";

const { client: chatCaller, upstream: chatUpstream } = defaultDialect;
const { createReshape: _, ...likeChat } = chatUpstream;

/** The changes for a conversation, without the channel's system prompt: there is nowhere to put it. */
function passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits {
  return chatUpstream.passEdits(json, facts, { ...target, systemPrompt: { text: "", isForced: false } });
}

/**
 * OpenAI's older completions, which go on with a prompt. Not among the dialects: it has words for texts only, and no
 * upstream that is asked for conversations speaks it.
 */
export const completionsDialect: Dialect = {
  id: "openai-completions",
  limits: { caller: [], upstream: [] },
  client: {
    ...chatCaller,
    dialect: "openai-completions",
    paths: ["/v1/completions"],
    readFacts,
    promptWords,
    promptTexts,
    readConversation,
    decode: decodeRequest,
    renderResponse,
    streamRenderer: createStreamRenderer,
    isContinuable: () => false,
    resumeStream: () => null,
  },
  upstream: {
    ...likeChat,
    path: "/v1/completions",
    readCompletionMax,
    capEdits,
    passEdits,
    passThrough: { ...chatUpstream.passThrough, textKeys: ['text"'], cutShort },
    answerTexts,
    frameTexts: answerTexts,
    imageUrls: () => [],
    withImages: (json) => json,
  },
};

/** Cloudflare's runs take a prompt where a conversation has messages. */
export const promptRun: { id: string; format: UpstreamFormat } = {
  id: workersAi.id,
  format: {
    ...workersAi.upstream,
    encode(request, target) {
      const { messages: _messages, ...json } = workersAi.upstream.encode(request, target);
      const texts = request.messages.flatMap(({ role, content }) => (role === "user" ? [plainText(content)] : []));
      return { prompt: texts.join("\n"), ...json };
    },
  },
};
