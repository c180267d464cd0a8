import { priceUsage } from "@/lib/billing/price";
import { PassThroughAnswer } from "../answers/pass-through";
import type { Json } from "../canonical/json";
import { defaultDialect } from "../dialects";
import type { PassThrough } from "../dialects/dialect";
import { applyEdits, scanTopLevel } from "../json-splice";
import { RelayError } from "../relay-error";
import { overrideParameters } from "../upstreams/param-override";
import { unsupportedType } from "../upstreams/setup-error";
import type { Intake, Operation } from "./operation";

/** Embeddings in OpenAI's format. Used by channel tests only; clients cannot request them yet. */
export const embeddings: Operation = { id: "embeddings", endpoints: [], read: readEmbeddings, charge: priceUsage };

const EMBEDDINGS: PassThrough = {
  ...defaultDialect.upstream.passThrough,
  answerKey: '"data"',
  hasAnswer: ({ data }) => Array.isArray(data),
};

function readEmbeddings(bytes: Buffer): Intake {
  const json = JSON.parse(bytes.toString("utf8")) as Json;
  const { model } = json;
  if (typeof model !== "string") throw new RelayError(400, "model must be a string", { param: "model" });
  const { upstream: dialect } = defaultDialect;
  const promptTokens = Math.ceil(bytes.length / 2);
  return {
    model,
    isStream: false,
    fallbacks: [],
    conversation: () => null,
    withModel: (other) => readEmbeddings(Buffer.from(JSON.stringify({ ...json, model: other }))),
    words: () => [json.input].flat().filter((text) => typeof text === "string"),
    need: {
      prompt: { promptTokens, audioPromptTokens: 0, writesAudio: false },
      completionTokensMax: 0,
      choices: 1,
      asksToThink: false,
    },
    encode({ channel, row, model: name }) {
      if (!row.takesEmbeddings) throw unsupportedType(channel.type);
      const edits = name === model ? {} : { model: name };
      Object.assign(edits, overrideParameters(json, edits, channel.paramOverride));
      return {
        path: "/v1/embeddings",
        query: "",
        headers: [],
        body: applyEdits(bytes, json, scanTopLevel(bytes) ?? new Map(), edits),
        openAnswer: (secrets) =>
          new PassThroughAnswer({
            dialect: { ...dialect, passThrough: EMBEDDINGS },
            isStream: false,
            withholdUsage: false,
            readUsage: dialect.readUsage,
            reshape: null,
            secrets,
          }),
      };
    },
    measureSoFar: () => ({ promptTokens, completionTokens: 0 }),
    measure(report) {
      const { usage } = report ?? {};
      return {
        promptTokens: usage?.promptTokens ?? promptTokens,
        completionTokens: 0,
        cachedTokens: 0,
        cacheWriteTokens: 0,
        audioPromptTokens: 0,
        audioCompletionTokens: 0,
        estimated: !usage,
      };
    },
  };
}
