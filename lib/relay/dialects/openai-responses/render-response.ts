import type { Json } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import type { ChatResponse } from "../../canonical/response";
import type { RenderContext } from "../dialect";
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

/** Renders only the first choice: clients of this dialect cannot ask for more. */
export function renderResponse({ id: given, choices, usage }: ChatResponse, context: RenderContext): Json {
  const [choice] = choices;
  const id = responseId(given, context);
  const reason = choice?.finishReason ?? { unified: "other" as const, raw: "" };
  const status = incompleteReason(reason) ? "incomplete" : "completed";
  return responseJson({ id, output: renderItems(choice?.content ?? [], id, status, context), reason, usage }, context);
}

function renderItems(
  content: readonly AssistantPart[],
  id: string,
  status: ItemStatus,
  context: RenderContext,
): Json[] {
  const output: Json[] = [];
  const declared = declaredTools(context.request ?? {});
  let said: SaidPart[] = [];
  const say = (): void => {
    if (said.length > 0) output.push(messageItem(itemId("msg", id, output.length), said, status));
    said = [];
  };
  for (const part of content) {
    if (part.type === "text" || part.type === "refusal") {
      said.push({ type: part.type === "text" ? "output_text" : "refusal", text: part.text });
      continue;
    }
    say();
    output.push(renderItem(part, id, output.length, declared));
  }
  say();
  return output;
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
