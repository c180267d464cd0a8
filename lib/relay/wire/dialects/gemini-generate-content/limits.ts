import type { Json } from "../../canonical/json";
import type { Limits } from "../common/limit";
import { isGiven } from "../common/option-rule";
import { namesDomains } from "../common/web-search";
import { sourcesOf } from "../pictures/media-sources";
import { modalitiesOf } from "./facts";
import { contentsOf, field, generationConfig, partsOf, toolsOf } from "./fields";
import { isOwnFile } from "./media";
import { isCarriedTool } from "./web-search";

const OWN_SETTINGS = [
  ...["audioTimestamp", "audioTranscriptionConfig", "modelArmorConfig", "continuationToken", "generationOutputConfig"],
];

/** What is lost when a request is translated to or from another dialect. */
export const limits: Limits = {
  caller: [
    {
      field: "tools that run at Google (codeExecution, urlContext, fileSearch, googleMaps, computerUse and the like)",
      becomes: "refused",
      param: "tools",
      note: "only upstreams of this format know them; googleSearch can be said elsewhere",
      applies: (json) => !toolsOf(json).every(isCarriedTool),
    },
    {
      field: "cachedContent",
      becomes: "refused",
      param: "cachedContent",
      note: "only the upstream that it was made at has it",
      applies: (json) => field(json, "cachedContent") !== undefined,
    },
    {
      field: "responseModalities with anything but text and pictures",
      becomes: "refused",
      param: "responseModalities",
      note: "only upstreams of this format can answer with sound",
      applies: (json) => modalitiesOf(json).some((kind) => kind !== "TEXT" && kind !== "IMAGE"),
    },
    {
      field: "parts that tools of Google's left in the conversation",
      becomes: "refused",
      param: "contents",
      note: "only upstreams of this format can read them",
      applies: (json) => contentsOf(json).flatMap(partsOf).some(isOfGoogle),
    },
    {
      field: "video_metadata and mediaResolution",
      becomes: "dropped",
      note: "no other format says how finely media are looked at",
    },
    {
      field: "audioTimestamp, audioTranscriptionConfig, modelArmorConfig, continuationToken, generationOutputConfig",
      becomes: "refused",
      param: "generationConfig",
      note: "only upstreams of this format know them, and an answer would be another one without",
      applies: (json) =>
        [json, generationConfig(json)].some((given) => OWN_SETTINGS.some((name) => isGiven(field(given, name)))),
    },
    { field: "safetySettings", becomes: "dropped", note: "other upstreams have rules of their own" },
    {
      field: "includeThoughts",
      becomes: "dropped",
      note: "thoughts that other upstreams tell are passed on",
    },
    { field: "behavior and response of a function", becomes: "dropped", note: "no other format has them" },
    {
      field: "speechConfig, imageConfig, labels, serviceTier, store and the like",
      becomes: "dropped",
      note: "they reach upstreams of this format only",
    },
    {
      field: "parameters and responseSchema",
      becomes: "rewritten",
      note: "to JSON schemas: types in small letters, nullable as a second type, without propertyOrdering",
    },
    {
      field: "several allowedFunctionNames",
      becomes: "rewritten",
      note: "the other functions are left out of the tools",
    },
    { field: "a thinkingBudget of -1", becomes: "rewritten", note: "to the effort medium" },
    { field: "functionResponse beside text", becomes: "rewritten", note: "results become messages before the text" },
    {
      field: "ids of calls that are not given",
      becomes: "rewritten",
      note: "to the place of the call; a result belongs to the first open call of its name",
    },
  ],
  upstream: [
    {
      field: "choices above 8",
      becomes: "refused",
      param: "n",
      note: "upstreams of this format give at most eight answers",
      applies: ({ choices }) => (choices ?? 1) > 8,
    },
    {
      field: "a file or picture by the id of another upstream's upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it; ids of this format are addresses at Google",
      applies: (request) => sourcesOf(request).some((source) => source.type === "id" && !isOwnFile(source.id)),
    },
    {
      field: "a search that a client offers with its own functions",
      becomes: "dropped",
      note: "upstreams of this format do not search beside functions, and it can do without",
    },
    {
      field: "domains of a search",
      becomes: "refused",
      param: "tools",
      note: "upstreams of this format search all of the web",
      applies: namesDomains,
    },
    {
      field: "maxUses, contextSize and userLocation of a search, a tool choice that asks for one",
      becomes: "dropped",
      note: "this format has no such fields",
    },
    { field: "citations in history", becomes: "dropped", note: "this format has no place for them in a request" },
    { field: "verbosity and cacheKey", becomes: "dropped", note: "this format has no such fields" },
    { field: "user", becomes: "dropped", note: "this format has no such field" },
    { field: "parallelToolCalls", becomes: "dropped", note: "this format has no such field" },
    { field: "strict of a tool", becomes: "dropped", note: "this format has no such field" },
    { field: "name, description and strict of a JSON schema", becomes: "dropped", note: "schemas are kept to always" },
    { field: "detail of a picture, name of a file", becomes: "dropped", note: "this format has no such fields" },
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    {
      field: "thinking for models before Gemini 2.5",
      becomes: "dropped",
      note: "they do not think",
    },
    {
      field: "presencePenalty and frequencyPenalty from Gemini 3.5 on",
      becomes: "dropped",
      note: "these models refuse them",
    },
    {
      field: "thinking in history that Google did not sign",
      becomes: "dropped",
      note: "only the upstream that signed it can use it",
    },
    { field: "temperature above 2", becomes: "rewritten", note: "to 2, the highest" },
    { field: "system and developer messages", becomes: "rewritten", note: "to one systemInstruction" },
    {
      field: "a thinking budget or effort",
      becomes: "rewritten",
      note: "to thinkingLevel from Gemini 3 on, else to a thinkingBudget within what the model takes",
    },
    {
      field: "thinking off",
      becomes: "rewritten",
      note: "to the least that the model can think",
    },
    {
      field: "calls in history without Google's signature, from Gemini 3 on",
      becomes: "rewritten",
      note: "with the word that Google gives for calls of other models",
    },
    {
      field: "pictures in a tool's result",
      becomes: "rewritten",
      note: "from Gemini 3 on to parts of the result, before to parts behind the results",
    },
    {
      field: "text of a tool's result",
      becomes: "rewritten",
      note: "to an object; to output, or error where it is one, unless it is a JSON object",
    },
    {
      field: "groundingMetadata, citationMetadata and safetyRatings of an answer",
      becomes: "dropped",
      note: "other formats cannot say them; callers of this format get them as they are",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to a text part between document tags" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    { field: "an empty message, or none of the user at first", becomes: "rewritten", note: "to three dots" },
    {
      field: "arguments of a call that are no JSON object",
      becomes: "rewritten",
      note: "to an object with the text in it",
    },
    {
      field: "JSON beside tools before Gemini 3",
      becomes: "rewritten",
      note: "to a sentence of the systemInstruction, because these models take either",
    },
    {
      field: "JSON schemas before Gemini 2.5",
      becomes: "rewritten",
      note: "without what those models do not know",
    },
  ],
};

const OF_GOOGLE = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

function isOfGoogle(part: Json): boolean {
  return OF_GOOGLE.some((name) => field(part, name) !== undefined);
}
