import type { OptionView } from "@/lib/option/types";

const JSON_CONTROLS = new Set(["json", "ratioMap", "textMap", "chats"]);

/** A JSON text with two blanks of indentation; a text that is no JSON stays as it is. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The text of an option as its editor starts with it. */
export function shownText(view: Pick<OptionView, "control">, text: string): string {
  return JSON_CONTROLS.has(view.control) ? indentJson(text) : text;
}
