import type { ChatRequest, FilePart, ImagePart, Message } from "../../canonical/request";
import type { Limit } from "./limit";

/** What no application takes that was built elsewhere: it has a prompt, a model and tools of its own. */
export const applicationLimits: readonly Limit<ChatRequest>[] = [
  {
    field: "tools",
    becomes: "refused",
    param: "tools",
    note: "such an application has tools of its own",
    applies: ({ tools = [], toolChoice }) => tools.length > 0 && toolChoice?.type !== "none",
  },
  {
    field: "calls of tools and their results in the conversation",
    becomes: "refused",
    param: "messages",
    note: "such an application knows only its own tools",
    applies: ({ messages }) => messages.some(isAboutTools),
  },
  {
    field: "stop",
    becomes: "refused",
    param: "stop",
    note: "such an application cannot be told where to stop",
    applies: ({ stop = [] }) => stop.length > 0,
  },
  {
    field: "choices above 1",
    becomes: "refused",
    param: "n",
    note: "such an application gives one answer",
    applies: ({ choices = 1 }) => choices > 1,
  },
  {
    field: "a file or picture by the id of an upload",
    becomes: "refused",
    param: "messages",
    note: "only the upstream that it was made at has it",
    applies: (request) => mediaOf(request).some(({ source }) => source.type === "id"),
  },
  {
    field: "maxTokens, temperature, topP, topK, seed, presencePenalty, frequencyPenalty",
    becomes: "dropped",
    note: "the application's own settings hold",
  },
  { field: "thinking, its effort and budget", becomes: "dropped", note: "the application's own settings hold" },
  { field: "thinking in history", becomes: "dropped", note: "such an application reads only what was said" },
  { field: "toolChoice none, with its tools", becomes: "dropped", note: "the caller's tools are not called anyway" },
  { field: "cache marks, detail of a picture", becomes: "dropped", note: "this format has no such fields" },
  { field: "JSON as the format", becomes: "rewritten", note: "to a sentence, with the schema where there is one" },
  { field: "a refusal in history", becomes: "rewritten", note: "to text" },
  { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
];

function isAboutTools({ role, content }: Message): boolean {
  return role === "tool" || (role === "assistant" && content.some(({ type }) => type === "tool-call"));
}

type Media = ImagePart | FilePart;

/** The pictures and files of the user. */
function mediaOf({ messages }: ChatRequest): Media[] {
  return messages.flatMap((message) =>
    message.role === "user"
      ? message.content.filter((part): part is Media => part.type === "image" || part.type === "file")
      : [],
  );
}
