import { readObject } from "../../canonical/json";
import { plainUsage, readCount, type Usage } from "../../canonical/usage";

/** `question_tokens` is that part of the prompt which the last question takes. Null = no usable counts. */
export function readUsage(value: unknown): Usage | null {
  const { prompt_tokens: prompt, completion_tokens: completion } = readObject(value);
  const isUsable = (readCount(prompt) ?? 0) > 0 && readCount(completion) !== null;
  return isUsable ? plainUsage(prompt, completion) : null;
}
