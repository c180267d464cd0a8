import { type Json, readText } from "../../canonical/json";
import { wordsOf } from "../common/error-words";
import type { Conversation, Dialect } from "../dialect";
import { decodeRequest } from "./decode-request";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailedElsewhere, renderCut, renderError, writeCut } from "./error";
import { readCompletionMax, readFacts } from "./facts";
import { contentsOf, field, partsOf, systemParts } from "./fields";
import { imageUrls, withImages } from "./images";
import { readKey } from "./key";
import { limits } from "./limits";
import { names } from "./names";
import { options } from "./options";
import { asksForUsage, capEdits, passEdits } from "./pass-edits";
import { passThrough } from "./pass-through";
import { isArrayStream, PATH, pathOf, pathWithModel } from "./path";
import { renderResponse } from "./render-response";
import { createStreamRenderer } from "./render-stream";
import { isContinuable, resumeStream } from "./resume-stream";
import { answerTexts, promptTexts, promptWords } from "./texts";
import { readUsage } from "./usage";

/** Google's generateContent and streamGenerateContent. */
export const geminiGenerateContent: Dialect = {
  id: "gemini-generate-content",
  limits,
  client: {
    dialect: "gemini-generate-content",
    paths: [PATH],
    pathWithModel,
    readKey,
    readFacts,
    names,
    options,
    requestIdHeader: "x-request-id",
    invalidRequestCode: "invalid_gemini_request",
    promptWords,
    promptTexts,
    readConversation,
    decode: decodeRequest,
    renderError,
    statusFor: (status) => wordsOf(status).googleStatus ?? status,
    renderResponse,
    streamRenderer: createStreamRenderer,
    // Older clients of Google's take a comment for a broken event.
    keepAlive: "\n\n",
    renderCut,
    writeCut,
    isArrayStream,
    isContinuable,
    resumeStream,
  },
  upstream: {
    path: pathOf,
    forwardedHeaders: [],
    readCompletionMax,
    capEdits,
    passEdits,
    asksForUsage,
    canBeAsked: ["webSearch", "logprobs"],
    encode: encodeRequest,
    takesModelPictures: true,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
    wholeBody: { hasAnswer: passThrough.hasAnswer, hasFailed: (json) => hasFailedElsewhere(json, null) },
    passThrough,
    answerTexts,
    // A frame has the form of a complete response.
    frameTexts: answerTexts,
    imageUrls,
    withImages,
  },
};

const textsOf = (parts: readonly Json[]): string[] => parts.map(({ text }) => readText(text));

function readConversation(json: Json): Conversation {
  return {
    // A prompt that is in a cache of Google's is known by its name.
    cacheKey: readText(field(json, "cachedContent")),
    user: "",
    opening: () => ({
      instructions: textsOf(systemParts(json)),
      question: textsOf(partsOf(contentsOf(json)[0])),
    }),
  };
}
