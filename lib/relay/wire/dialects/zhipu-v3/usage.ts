import { readObject } from "../../canonical/json";
import { plainUsage, readCount, type Usage } from "../../canonical/usage";

/** Null = no usable counts: some answers report no tokens of the prompt, which always has some. */
export function readUsage(value: unknown): Usage | null {
  const { prompt_tokens: prompt, completion_tokens: completion } = readObject(value);
  const isUsable = (readCount(prompt) ?? 0) > 0 && readCount(completion) !== null;
  return isUsable ? plainUsage(prompt, completion) : null;
}
