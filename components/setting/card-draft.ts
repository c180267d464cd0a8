import type { OptionChange, OptionView } from "@/lib/option/types";
import { mergeTexts } from "@/lib/seen";
import { shownText } from "./shown-text";

type Texts = Readonly<Record<string, string>>;

/** `stored`: what is saved now, also where it is somebody else's and the change was refused; null where that is not known. */
export type SaveResult = { key: string; message: string | null; stored: string | null };

/** The unsaved edits of one card. Keys are option keys. */
export type CardState = {
  texts: Texts;
  /**
   * Saved texts with the value they replaced. They show until the page has the new value, so that the old one does not
   * flash.
   */
  saved: Readonly<Record<string, { text: string; over: string; stored: string | null }>>;
  /** The value that each unsaved edit began with: a page that is renewed meanwhile has another one. */
  bases: Texts;
  /** What somebody else has saved since then, until the user has chosen. */
  clashes: Texts;
  /** Secrets to be deleted. */
  removed: readonly string[];
  /** Errors from editors of several rows whose state cannot be written as text yet. */
  issues: Texts;
  errors: Texts;
  /** Incremented when edits are discarded, so that editors with their own state start again. */
  round: number;
};

export type CardEvent =
  | { type: "text"; key: string; text: string; base?: string }
  | { type: "default"; view: OptionView }
  | { type: "issue"; key: string; message: string | null; base?: string }
  | { type: "settle"; view: OptionView; choice: "mine" | "theirs" }
  | { type: "problems"; errors: Texts }
  | { type: "saved"; results: readonly SaveResult[]; views: readonly OptionView[] }
  | { type: "arrived"; keys: readonly string[] }
  | { type: "discard" };

export const EMPTY_CARD: CardState = {
  texts: {},
  saved: {},
  bases: {},
  clashes: {},
  removed: [],
  issues: {},
  errors: {},
  round: 0,
};

export function nextCardState(state: CardState, event: CardEvent): CardState {
  switch (event.type) {
    case "text": {
      const { key, text } = event;
      const removed = state.removed.filter((other) => other !== key);
      const errors = without(state.errors, [key]);
      return { ...begun(state, key, event.base), removed, texts: { ...state.texts, [key]: text }, errors };
    }
    case "default": {
      const { view } = event;
      const text = view.secret ? "" : shownText(view, view.default);
      const next = nextCardState(state, { type: "text", key: view.key, text, base: view.value });
      const removed = view.secret ? [...next.removed, view.key] : next.removed;
      // With the round all rows of the card are read again from their texts, so none of them has an issue.
      return { ...next, removed, issues: {}, round: state.round + 1 };
    }
    case "issue": {
      const { key, message } = event;
      const rest = without(state.issues, [key]);
      const issues = message === null ? rest : { ...rest, [key]: message };
      return { ...begun(state, key, event.base), issues, errors: without(state.errors, [key]) };
    }
    case "settle":
      return settle(state, event.view, event.choice);
    case "problems":
      return { ...state, errors: event.errors };
    case "saved":
      return afterSave(state, event.results, event.views);
    case "arrived":
      return { ...state, saved: without(state.saved, event.keys) };
    case "discard":
      return { ...EMPTY_CARD, saved: state.saved, round: state.round + 1 };
  }
}

/** Notes what an edit of an option begins with; `base` is given with its first event. */
function begun(state: CardState, key: string, base: string | undefined): CardState {
  if (base === undefined) return state;
  const stored = state.saved[key]?.over === base ? state.saved[key]?.stored : null;
  return { ...state, bases: { ...state.bases, [key]: stored ?? base } };
}

/** The draft goes on from what somebody else has saved, with the user's text or with theirs; other entries of both are kept. */
function settle(state: CardState, view: OptionView, choice: "mine" | "theirs"): CardState {
  const { key } = view;
  const stored = state.clashes[key];
  if (stored === undefined) return state;
  const mine = textOf(state, view);
  const prefer = choice === "mine" ? "wanted" : "stored";
  const merged = mergeTexts(state.bases[key] ?? view.value, stored, mine, prefer)?.text ?? mine;
  return {
    ...state,
    texts: { ...state.texts, [key]: shownText(view, merged) },
    bases: { ...state.bases, [key]: stored },
    clashes: without(state.clashes, [key]),
    errors: without(state.errors, [key]),
    issues: without(state.issues, [key]),
    round: state.round + 1,
  };
}

/** Saved options leave the draft. Refused ones keep the typed text and get their error. */
function afterSave(state: CardState, results: readonly SaveResult[], views: readonly OptionView[]): CardState {
  const keys = results.filter((result) => result.message === null).map((result) => result.key);
  const refused = results.flatMap((result) => (result.message === null ? [] : [[result.key, result.message]]));
  const storedOf = (key: string) => results.find((result) => result.key === key)?.stored ?? null;
  const saved = views
    .filter((view) => keys.includes(view.key) && !view.secret)
    .map((view) => [view.key, { text: textOf(state, view), over: view.value, stored: storedOf(view.key) }] as const);
  const clashes = results.flatMap(({ key, message, stored }) =>
    message === null || stored === null ? [] : [[key, stored] as const],
  );
  return {
    texts: without(state.texts, keys),
    bases: without(state.bases, keys),
    clashes: Object.fromEntries(clashes),
    saved: { ...state.saved, ...Object.fromEntries(saved) },
    removed: state.removed.filter((key) => !keys.includes(key)),
    issues: without(state.issues, keys),
    errors: Object.fromEntries(refused),
    round: state.round,
  };
}

function without<Value>(values: Readonly<Record<string, Value>>, keys: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));
}

export function textOf(state: CardState, view: OptionView): string {
  const [text, base] = [state.texts[view.key], baseText(state, view)];
  if (state.issues[view.key] !== undefined) return text ?? base ?? savedText(state, view);
  return text === undefined || text === base ? savedText(state, view) : text;
}

/** The text that an edit began with; null where there is no edit. */
function baseText(state: CardState, view: OptionView): string | null {
  const base = state.bases[view.key];
  return base === undefined ? null : shownText(view, base);
}

function savedText(state: CardState, view: OptionView): string {
  const saved = state.saved[view.key];
  return saved && saved.over === view.value ? saved.text : shownText(view, view.value);
}

/** Keys of saved options whose new value is on the page. What was saved must not show once more when the old value comes back. */
export function arrivedKeys(state: CardState, views: readonly OptionView[]): string[] {
  return views.filter(({ key, value }) => (state.saved[key]?.over ?? value) !== value).map(({ key }) => key);
}

export function isChanged(state: CardState, view: OptionView): boolean {
  if (state.removed.includes(view.key) || state.issues[view.key] !== undefined) return true;
  return textOf(state, view) !== savedText(state, view);
}

/** The change to send. A value equal to the default is sent as null, so that the option follows later defaults. */
export function toChange(state: CardState, view: OptionView): OptionChange {
  const { key } = view;
  const text = textOf(state, view);
  if (view.secret) return { key, value: state.removed.includes(key) ? null : text };
  const value = text === shownText(view, view.default) ? null : text;
  const saved = state.saved[key];
  const base = state.bases[key] ?? (saved?.over === view.value ? saved.stored : view.value);
  return base === null || base === undefined ? { key, value } : { key, value, base };
}
