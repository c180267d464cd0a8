import type { Thinking } from "../../canonical/request";
import { threeEffort } from "../thinking-budget";

/** These are refused with a wish to think. */
const NEVER_THINKS =
  /(^|\/)(llama|codellama|llava|mistral|mixtral|codestral|gemma[23]?(:|$)|phi[34](-mini)?(:|$)|qwen(2|2\.5)?(-coder|vl)?(:|$)|command-r|tinyllama|starcoder)/;

/** The field `think`: a word for gpt-oss, else yes or no; undefined = the model's own way. */
export function encodeThinking(thinking: Thinking | undefined, model: string): boolean | string | undefined {
  if (!thinking || NEVER_THINKS.test(model)) return undefined;
  if (thinking.type === "off") return false;
  if (!model.includes("gpt-oss")) return true;
  return threeEffort(thinking);
}
