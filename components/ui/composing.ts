import type { SyntheticEvent } from "react";

/** The code of every key press that an input method takes. */
const INPUT_METHOD_KEY_CODE = 229;

/**
 * Whether a key press, or a change of a text, belongs to an input method that composes words: its Enter takes a word and
 * its Escape drops one, so neither may send, add, apply or close anything. Chrome and Firefox say `isComposing`; Safari ends
 * the composition before the key press that confirms it, which then has nothing but the code of an input method.
 */
export function isComposing(event: Event | SyntheticEvent): boolean {
  const native = "nativeEvent" in event ? event.nativeEvent : event;
  if ("isComposing" in native && native.isComposing === true) return true;
  return "keyCode" in native && native.keyCode === INPUT_METHOD_KEY_CODE;
}

/** For what Escape closes: the one that drops a half-composed word does not close it. */
export function keptWhileComposing(onEscape?: (event: KeyboardEvent) => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (isComposing(event)) event.preventDefault();
    else onEscape?.(event);
  };
}
