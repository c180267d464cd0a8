import { rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider, Rules } from "@/lib/model-rules/schema";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import type { ToolChoice } from "../../wire/canonical/request";
import { forcedCallSentence } from "../../wire/dialects/common/calls/forced-call";
import { thinkingFields } from "../../wire/dialects/common/thinking-words";
import type { Edits } from "../../wire/dialects/dialect";
import type { RequestFix } from "../channel-type";
import { readWish } from "./thinking-fix";

/**
 * A call that a request forces where the model takes none while it thinks: a caller who does not ask for thoughts gets the
 * call without them, and for one who does the call is asked for in words. Behind `thinkingAt`, whose words it reads.
 */
export function forcedCallsAt(provider: Provider): RequestFix {
  return (json, model, options) => {
    const choice = forcedChoice(json.tool_choice);
    if (!choice) return {};
    const rules = rulesOf(model, provider, options["models.rules"]);
    if (rules.forcedTools === undefined || rules.forcedTools === true || rules.thinks === "never") return {};
    if (rules.forcedTools === "without thoughts" && rules.thinks !== "always") {
      const wish = readWish(json);
      if (wish?.type === "off") return {};
      if (!wish) return rules.thinksUnasked ? withoutThoughts(json, rules) : {};
    }
    return { tool_choice: "auto", messages: withSentence(json.messages, forcedCallSentence(choice)) };
  };
}

function forcedChoice(given: unknown): ToolChoice | null {
  if (given === "required") return { type: "required" };
  const name = readText(readObject(readObject(given).function).name);
  return name === "" ? null : { type: "tool", name };
}

const withoutThoughts = (json: Readonly<Json>, rules: Rules): Edits =>
  thinkingFields({ type: "off" }, rules, { isStream: json.stream === true });

/** Some take only one system message, so that a text of the caller's is made longer. */
function withSentence(messages: unknown, text: string): unknown[] {
  const [first, ...rest] = readArray(messages);
  const { role, content, ...others } = readObject(first);
  if ((role !== "system" && role !== "developer") || typeof content !== "string" || content === "") {
    return [{ role: "system", content: text }, ...readArray(messages)];
  }
  return [{ ...others, role, content: `${content}\n\n${text}` }, ...rest];
}
