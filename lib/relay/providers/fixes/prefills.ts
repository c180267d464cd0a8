import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";

/** How an upstream is given the beginning of an answer to go on from. docs/failover.md lists the upstreams. */
export type Prefill = {
  /** Whether it goes on from it. `json`: the request as it would be sent, in the upstream's dialect. */
  takes(json: Readonly<Json>, model: string): boolean;
  /** Fields of the last message that ask for it. */
  mark: Json;
  /** The path for it; undefined = the usual one. */
  path?: string;
  /** Its answer begins with the text that it was given. */
  echoes?: boolean;
};

/** Up to Claude 4.5; later models refuse it. */
const CLAUDE = /^claude-(?:instant|[23](?!\d))|^claude-(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|-latest|$)/;

/** https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/prefill-claudes-response */
export const anthropicPrefill: Prefill = {
  takes({ thinking, output_config: output, output_format: format, tool_choice: choice }, model) {
    const { type } = readObject(thinking);
    const isForced = ["any", "tool"].includes(readText(readObject(choice).type));
    const isFormatted = format !== undefined || readObject(output).format !== undefined;
    return CLAUDE.test(model) && (type === undefined || type === "disabled") && !isForced && !isFormatted;
  },
  mark: {},
};

/** https://api-docs.deepseek.com/guides/chat_prefix_completion */
export const deepseekPrefill: Prefill = {
  takes: (json, model) => model === "deepseek-chat" && isPlain(json),
  mark: { prefix: true },
  path: "/beta/chat/completions",
};

/** https://docs.mistral.ai/capabilities/completion/prefix; the answer begins with the prefix. */
export const mistralPrefill: Prefill = {
  takes: (json, model) => !model.startsWith("magistral") && isPlain(json),
  mark: { prefix: true },
  echoes: true,
};

/** https://platform.kimi.ai/docs/api/partial */
export const moonshotPrefill: Prefill = {
  takes: (json, model) => !model.includes("thinking") && isPlain(json),
  mark: { partial: true },
};

/** Models that do not think unless they are asked to. */
const QWEN = /^qwen(?:-(?:max|plus|flash|turbo|coder|math|vl)|2\.5|3-(?:max|coder))/;

/** https://www.alibabacloud.com/help/en/model-studio/partial-mode */
export const qwenPrefill: Prefill = {
  takes: (json, model) => QWEN.test(model) && !model.includes("thinking") && isPlain(json),
  mark: { partial: true },
};

/** Neither tools, nor a format, nor thoughts: with those none of them documents a prefill. */
function isPlain({ tools, response_format: format, ...json }: Readonly<Json>): boolean {
  const isText = format === undefined || readObject(format).type === "text";
  const { enable_thinking: switched = false, thinking, reasoning, reasoning_effort: effort = "none" } = json;
  const isOff = thinking === undefined || readObject(thinking).type === "disabled";
  const thinks = switched !== false || !isOff || reasoning !== undefined || effort !== "none";
  return readArray(tools).length === 0 && isText && !thinks;
}
