import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ObjectReference } from "../../canonical/upstream-object";
import { wordsOf } from "../common/error-words";
import { storedIds } from "../common/stored-ids";
import type { Conversation, Dialect, Opening } from "../dialect";
import { decodeRequest } from "./decode-request";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { renderCut, renderError } from "./error";
import { readCompletionMax, readFacts } from "./facts";
import { imageUrls, withImages } from "./images";
import { readKey } from "./key";
import { limits } from "./limits";
import { names } from "./names";
import { options } from "./options";
import { asksForUsage, capEdits, passEdits } from "./pass-edits";
import { passThrough } from "./pass-through";
import { renderResponse } from "./render-response";
import { createStreamRenderer } from "./render-stream";
import { createReshape } from "./reshape";
import { isContinuable, resumeStream } from "./resume-stream";
import { answerTexts, frameTexts, promptTexts, promptWords } from "./texts";
import { readUsage } from "./usage";

/** OpenAI's Chat Completions API, which many other upstreams implement too. */
export const openaiChat: Dialect = {
  id: "openai-chat",
  limits,
  client: {
    dialect: "openai-chat",
    paths: ["/v1/chat/completions"],
    readKey,
    readFacts,
    names,
    options,
    fallbacksField: "models",
    requestIdHeader: "x-request-id",
    invalidRequestCode: "invalid_text_request",
    promptWords,
    promptTexts,
    readConversation,
    references,
    decode: decodeRequest,
    renderError,
    statusFor: (status) => wordsOf(status).openaiStatus ?? status,
    renderResponse,
    streamRenderer: createStreamRenderer,
    keepAlive: ": waiting\n\n",
    renderCut,
    isContinuable,
    resumeStream,
  },
  upstream: {
    path: "/v1/chat/completions",
    forwardedHeaders: [],
    readCompletionMax,
    capEdits,
    passEdits,
    asksForUsage,
    canBeAsked: ["webSearch", "logprobs"],
    encode: encodeRequest,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
    wholeBody: passThrough,
    passThrough,
    createReshape,
    answerTexts,
    frameTexts,
    imageUrls,
    withImages,
  },
};

/** Instructions stand at the beginning; what comes later is not looked at. */
const INSTRUCTIONS_MAX = 8;

function readConversation(json: Json): Conversation {
  return {
    cacheKey: readText(json.prompt_cache_key),
    user: readText(json.user),
    opening: () => readOpening(readArray(json.messages)),
  };
}

function readOpening(messages: readonly unknown[]): Opening {
  const instructions: string[] = [];
  for (const message of messages.slice(0, INSTRUCTIONS_MAX)) {
    const { role, content } = readObject(message);
    if (role === "user") return { instructions, question: textsOf(content) };
    instructions.push(...textsOf(content));
  }
  return { instructions, question: [] };
}

function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return readArray(content).map((part) => readText(readObject(part).text));
}

/** The uploaded files that the request names. Throws InvalidRequest. */
function references(json: Json): readonly ObjectReference[] {
  return storedIds(json, names);
}
