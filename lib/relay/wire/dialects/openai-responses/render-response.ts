import type { Json } from "../../canonical/json";
import type { AssistantPart, TextPart } from "../../canonical/request";
import type { ChatResponse, Choice } from "../../canonical/response";
import { countFrom } from "../common/citation-place";
import { renderLogprobs } from "../common/openai/openai-logprobs";
import type { RenderContext } from "../dialect";
import { encodeAnnotations } from "./annotations";
import { incompleteReason } from "./finish-reason";
import {
  callItem,
  type ItemStatus,
  itemId,
  messageItem,
  newCall,
  reasoningItem,
  responseId,
  responseJson,
  type SaidPart,
} from "./output-items";
import { type Declared, declaredTools } from "./tools";
import { searchItem } from "./web-search";

/** Renders only the first choice: clients of this dialect cannot ask for more. */
export function renderResponse({ id: given, choices, usage }: ChatResponse, context: RenderContext): Json {
  const [choice] = choices;
  const id = responseId(given, context);
  const reason = choice?.finishReason ?? { unified: "other" as const, raw: "" };
  const status = incompleteReason(reason) ? "incomplete" : "completed";
  return responseJson({ id, output: renderItems(choice, id, status, context), reason, usage }, context);
}

function renderItems(choice: Choice | undefined, id: string, status: ItemStatus, context: RenderContext): Json[] {
  const { content = [], searches = [] } = choice ?? {};
  const output: Json[] = searches.map((search, i) => searchItem(itemId("ws", id, i), search, true));
  const declared = declaredTools(context.request ?? {});
  let said: SaidPart[] = [];
  let before = 0;
  const say = (): void => {
    if (said.length > 0) output.push(messageItem(itemId("msg", id, output.length), said, status));
    said = [];
  };
  for (const part of content) {
    if (part.type === "refusal") {
      said.push({ type: "refusal", text: part.text });
      continue;
    }
    if (part.type === "text") {
      said.push(saidPart(part, before));
      before += part.text.length;
      continue;
    }
    say();
    output.push(renderItem(part, id, output.length, declared));
  }
  say();
  return output;
}

function saidPart({ text, citations = [], logprobs = [] }: TextPart, before: number): SaidPart {
  const annotations = encodeAnnotations(countFrom(citations, before));
  return { type: "output_text", text, annotations, logprobs: renderLogprobs(logprobs) };
}

type Other = Exclude<AssistantPart, { type: "text" | "refusal" }>;

function renderItem(part: Other, id: string, index: number, declared: ReadonlyMap<string, Declared>): Json {
  switch (part.type) {
    case "thinking":
      return reasoningItem(itemId("rs", id, index), part.text, part.signature ?? null);
    case "redacted-thinking":
      return reasoningItem(itemId("rs", id, index), null, part.data);
    case "tool-call": {
      const call = newCall(
        { id: (prefix) => itemId(prefix, id, index), callId: part.id, fullName: part.name },
        declared,
      );
      return callItem({ ...call, arguments: part.arguments }, "completed");
    }
  }
}
