import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { readModel } from "../../wire/dialects/common/request-fields";
import { documentOperation } from "../documents/define-operation";
import { failsWithout, openaiCaller, renameModel } from "../documents/document-fields";
import type { CallerDocument, DocumentKind, UpstreamDocument } from "../documents/document-format";
import { PICTURE_TOKENS } from "../documents/read-content";
import { readEmbeddingUsage } from "../embeddings/openai";

type ModerationRequest = { model: string; texts: readonly string[]; pictures: number };

const PATH = "/v1/moderations";
/** Contract §4.1. */
const USUAL_MODEL = "text-moderation-stable";
const INPUTS_MAX = 10_000;

const hasAnswer = ({ results }: Json): boolean => readArray(results).length > 0;

/** There is one format, so that nothing is translated. */
const upstream: UpstreamDocument<ModerationRequest, readonly unknown[]> = {
  path: PATH,
  encode: ({ texts }, model) => ({ model, input: texts }),
  decode: ({ results }) => readArray(results),
  readUsage: readEmbeddingUsage,
  hasAnswer,
  hasFailed: failsWithout(hasAnswer),
};

const caller: CallerDocument<ModerationRequest, readonly unknown[]> = {
  format: "openai",
  paths: [PATH],
  clientDialect: openaiCaller("invalid_moderation_request"),
  read: (json) => ({ model: readModel(json.model ?? USUAL_MODEL), ...readInput(json.input) }),
  rename: renameModel,
  path: () => PATH,
  scan: { answerKey: '"results"', usageKey: '"usage"' },
  render: (results, { model }, { requestId }) => ({ id: requestId, model, results }),
};

/** A text, texts, or parts that are texts and pictures. */
function readInput(input: unknown): Pick<ModerationRequest, "texts" | "pictures"> {
  const items: readonly unknown[] = typeof input === "string" ? [input] : readArray(input);
  if (items.length === 0 || items.length > INPUTS_MAX) {
    throw new InvalidRequest("input must be a text, or a list of texts or parts", "input");
  }
  const texts: string[] = [];
  let pictures = 0;
  for (const item of items) {
    const { type, text } = readObject(item);
    if (typeof item === "string") texts.push(item);
    else if (type === "image_url") pictures += 1;
    else if (type === "text") texts.push(readText(text));
    else throw new InvalidRequest("every part of the input must be a text or an image_url", "input");
  }
  return { texts, pictures };
}

const kind: DocumentKind<ModerationRequest, readonly unknown[]> = {
  operation: "moderations",
  formats: new Map([["openai", upstream]]),
  // OpenAI's pictures are free; a model of another maker may read them as tokens.
  readings: ({ texts, pictures }) => ({ readings: [{ texts, times: 1 }], tokens: pictures * PICTURE_TOKENS }),
  // It is asked whether words are allowed.
  words: () => [],
  test: { path: PATH, models: TESTED_MODELS.moderations, answerKey: "results", json: () => ({ input: "hello world" }) },
};

/** Whether texts and pictures are harmful, in OpenAI's format. */
export const moderations = documentOperation(kind, [caller]);
