import type { OptionView } from "@/lib/option/types";

const JSON_CONTROLS = new Set(["json", "ratioMap", "textMap", "limitMap", "meterMap", "fallbackMap", "chats"]);

/** Indents JSON by two spaces; invalid JSON is returned as it is. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The initial text of an option's editor. */
export function shownText(view: Pick<OptionView, "control">, text: string): string {
  return JSON_CONTROLS.has(view.control) ? indentJson(text) : text;
}
