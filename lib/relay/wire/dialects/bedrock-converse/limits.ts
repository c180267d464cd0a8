import type { AudioPart, ChatRequest, FilePart, ImagePart, Message } from "../../canonical/request";
import type { Limits } from "../common/limit";
import { ONE_ANSWER } from "../common/usual-limits";
import { isWritable } from "./media";

/** What is lost when a request is translated for Converse. */
export const limits: Pick<Limits, "upstream"> = {
  upstream: [
    ONE_ANSWER,
    {
      field: "a picture or file by its address or by the id of an upload",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format take bytes only; pictures are fetched before",
      applies: (request) =>
        mediaOf(request).some((part) => part.type !== "audio" && ["url", "id"].includes(part.source.type)),
    },
    {
      field: "a picture, sound or file of another kind",
      becomes: "refused",
      param: "messages",
      note: "Bedrock lists what it takes: PNG, JPEG, GIF, WebP, PDF, Office, text, the usual sounds and films",
      applies: (request) => mediaOf(request).some((part) => !isWritable(part)),
    },
    {
      field: "sound in a tool's result",
      becomes: "refused",
      param: "messages",
      note: "results have no place for it",
      applies: ({ messages }) =>
        messages.some(({ role, content }) => role === "tool" && content.some(({ type }) => type === "audio")),
    },
    {
      field: "names of tools with other characters than letters, digits, _ and -, or with more than 64",
      becomes: "refused",
      param: "tools",
      note: "Bedrock refuses them",
      applies: ({ tools }) => (tools ?? []).some(({ name }) => !/^[\w-]{1,64}$/.test(name)),
    },
    { field: "seed, presencePenalty, frequencyPenalty, user", becomes: "dropped", note: "no fields for them" },
    { field: "topK", becomes: "dropped", note: "except for Nova, which has a field of its own for it" },
    { field: "parallelToolCalls", becomes: "dropped", note: "this format has no such field" },
    { field: "detail of a picture", becomes: "dropped", note: "this format has no such field" },
    { field: "blank texts", becomes: "dropped", note: "Bedrock refuses them" },
    {
      field: "cache marks",
      becomes: "dropped",
      note: "except for Nova, where they become cache points; those of tools are dropped there too",
    },
    {
      field: "thinking in history that a model behind Converse did not sign",
      becomes: "dropped",
      note: "only the upstream that signed it can use it",
    },
    {
      field: "thinking",
      becomes: "rewritten",
      note: "to reasoningConfig for Nova 2 and reasoning_effort for gpt-oss; other models decide themselves",
    },
    {
      field: "an effort above medium for Nova 2",
      becomes: "rewritten",
      note: "to medium, because it refuses a token limit beside high",
    },
    { field: "temperature above 1", becomes: "rewritten", note: "to 1, the highest" },
    { field: "system and developer messages", becomes: "rewritten", note: "to one system prompt" },
    {
      field:
        "plain JSON as the format, a schema for models without structured outputs, or one with objects of any properties",
      becomes: "rewritten",
      note: "to a sentence of the system prompt",
    },
    {
      field: "any other JSON schema",
      becomes: "rewritten",
      note: "to outputConfig: objects without other properties, bounds of numbers and lengths in descriptions",
    },
    {
      field: "no tools, or none to be called, where calls are in history",
      becomes: "rewritten",
      note: "to the tools and a sentence of the system prompt, because the calls need them",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to a text part between document tags" },
    { field: "names of documents", becomes: "rewritten", note: "to allowed characters, each once" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    {
      field: "an empty message, none of the user at first, or a document without a text",
      becomes: "rewritten",
      note: "with three dots",
    },
    { field: "ids of calls", becomes: "rewritten", note: "to letters, digits, _ and -, and the last 64 of them" },
    {
      field: "arguments of a call that are no JSON object",
      becomes: "rewritten",
      note: "to an object with the text in it",
    },
  ],
};

function mediaOf({ messages }: ChatRequest): (ImagePart | AudioPart | FilePart)[] {
  const parts = (message: Message) => (message.role === "user" || message.role === "tool" ? message.content : []);
  return messages.flatMap((message) => parts(message).flatMap((part) => (part.type === "text" ? [] : [part])));
}
