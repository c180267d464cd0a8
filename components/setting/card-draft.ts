import type { OptionChange, OptionView } from "@/lib/option/types";
import type { SaveResult } from "./setting-actions";
import { shownText } from "./shown-text";

type Texts = Readonly<Record<string, string>>;

/** What is being typed into one card. Keys are options. */
export type CardState = {
  texts: Texts;
  /** What was saved, and over what, until the page has the new value: else the old one would show for a moment. */
  saved: Readonly<Record<string, { text: string; over: string }>>;
  /** Secrets that are to be taken away. */
  removed: readonly string[];
  /** What an editor of several rows says about a state that has no text yet. */
  issues: Texts;
  errors: Texts;
  /** Grows when edits were thrown away, so that editors with a state of their own start anew. */
  round: number;
};

export type CardEvent =
  | { type: "text"; key: string; text: string }
  | { type: "default"; view: OptionView }
  | { type: "issue"; key: string; message: string | null }
  | { type: "problems"; errors: Texts }
  | { type: "saved"; results: readonly SaveResult[]; views: readonly OptionView[] }
  | { type: "discard" };

export const EMPTY_CARD: CardState = { texts: {}, saved: {}, removed: [], issues: {}, errors: {}, round: 0 };

export function nextCardState(state: CardState, event: CardEvent): CardState {
  switch (event.type) {
    case "text": {
      const { key, text } = event;
      const removed = state.removed.filter((other) => other !== key);
      return { ...state, removed, texts: { ...state.texts, [key]: text }, errors: without(state.errors, [key]) };
    }
    case "default": {
      const { view } = event;
      const text = view.secret ? "" : shownText(view, view.default);
      const next = nextCardState(state, { type: "text", key: view.key, text });
      const removed = view.secret ? [...next.removed, view.key] : next.removed;
      return { ...next, removed, issues: without(state.issues, [view.key]), round: state.round + 1 };
    }
    case "issue": {
      const { key, message } = event;
      const rest = without(state.issues, [key]);
      const issues = message === null ? rest : { ...rest, [key]: message };
      return { ...state, issues, errors: without(state.errors, [key]) };
    }
    case "problems":
      return { ...state, errors: event.errors };
    case "saved":
      return afterSave(state, event.results, event.views);
    case "discard":
      return { ...EMPTY_CARD, saved: state.saved, round: state.round + 1 };
  }
}

/** What was saved is no draft any more; what was refused stays as it was typed, with the reason beside it. */
function afterSave(state: CardState, results: readonly SaveResult[], views: readonly OptionView[]): CardState {
  const keys = results.filter((result) => result.message === null).map((result) => result.key);
  const refused = results.flatMap((result) => (result.message === null ? [] : [[result.key, result.message]]));
  const saved = views
    .filter((view) => keys.includes(view.key) && !view.secret)
    .map((view) => [view.key, { text: textOf(state, view), over: view.value }] as const);
  return {
    texts: without(state.texts, keys),
    saved: { ...state.saved, ...Object.fromEntries(saved) },
    removed: state.removed.filter((key) => !keys.includes(key)),
    issues: without(state.issues, keys),
    errors: Object.fromEntries(refused),
    round: state.round,
  };
}

function without(texts: Texts, keys: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => !keys.includes(key)));
}

/** The text in an option's editor. */
export function textOf(state: CardState, view: OptionView): string {
  return state.texts[view.key] ?? savedText(state, view);
}

function savedText(state: CardState, view: OptionView): string {
  const saved = state.saved[view.key];
  return saved && saved.over === view.value ? saved.text : shownText(view, view.value);
}

/** Whether saving would write something. */
export function isChanged(state: CardState, view: OptionView): boolean {
  if (state.removed.includes(view.key) || state.issues[view.key] !== undefined) return true;
  return textOf(state, view) !== savedText(state, view);
}

/** What is sent. The default is not stored, so that an option that stands at it follows it. */
export function toChange(state: CardState, view: OptionView): OptionChange {
  const { key } = view;
  const text = textOf(state, view);
  if (view.secret) return { key, value: state.removed.includes(key) ? null : text };
  const value = text === shownText(view, view.default) ? null : text;
  // Right after a save the page does not know yet how the server keeps the text.
  return state.saved[key]?.over === view.value ? { key, value } : { key, value, base: view.value };
}
