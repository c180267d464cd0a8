import { type Control, changedControls, currentValue } from "./unsaved-input";

const KEY = "weir-kept-input";
const AGE_MS_MAX = 3_600_000;
const WAIT_MS_MAX = 15_000;
const CONTROLS = "input, textarea, select, [role=switch], [role=checkbox]";
/** Secrets never reach the browser's storage: they have to be typed again. */
const SECRETS =
  "[type=password], [data-secret], [autocomplete=new-password], [autocomplete=current-password], [autocomplete=one-time-code]";

type Field = { name: string; nth: number; value: string };
/**
 * `isBack`: the user went to sign in, so that the input is put back where it was. `returns`: how often the page was led there; it may
 * be one that the user can no longer open, and that leads elsewhere.
 */
type Kept = { userId: number; path: string; at: number; fields: Field[]; isBack: boolean; returns: number };

const RETURNS_MAX = 3;

/** Keeps what was typed on this page in this tab, without secrets, for the time of a sign-in. */
export function keepInput(userId: number): void {
  const fields = changedControls()
    .filter((control) => !control.matches(SECRETS))
    .map((control) => ({ ...placeOf(control), value: currentValue(control) }));
  if (fields.length > 0) write({ userId, path: here(), at: Date.now(), fields, isBack: false, returns: 0 });
}

/** The page shows for nobody: because the session has ended, or because the user has signed out and leaves nothing here. */
export function onSignInPage(): void {
  const kept = read();
  if (!kept || kept.isBack) return;
  const hasEnded = new URLSearchParams(window.location.search).has("expired");
  write(hasEnded ? { ...kept, isBack: true } : null);
}

/**
 * The page shows for a user. Returns where the user's kept input belongs if that is another page; puts it back if it is
 * this one, and calls `onRestored`. Input of another user, or of a page that was left on purpose, is forgotten.
 */
export function restoreInput(userId: number, onRestored: () => void): string | null {
  const kept = read();
  if (!kept) return null;
  const isWanted = kept.isBack && kept.userId === userId && Date.now() - kept.at < AGE_MS_MAX;
  if (isWanted && kept.path !== here() && kept.returns < RETURNS_MAX) {
    write({ ...kept, returns: kept.returns + 1 });
    return kept.path;
  }
  write(null);
  if (isWanted && kept.path === here()) fillIn(kept.fields, onRestored);
  return null;
}

function here(): string {
  // Written anew, as the sign-in page does with the address that it leads back to.
  const search = new URLSearchParams(window.location.search);
  return search.size > 0 ? `${window.location.pathname}?${search}` : window.location.pathname;
}

function nameOf(control: Control): string {
  const label = control.labels?.[0]?.textContent?.trim();
  return control.getAttribute("aria-label") || label || control.name || control.id;
}

function sameNamed(name: string): Control[] {
  return [...document.querySelectorAll<Control>(CONTROLS)].filter((control) => nameOf(control) === name);
}

function placeOf(control: Control): { name: string; nth: number } {
  const name = nameOf(control);
  return { name, nth: sameNamed(name).indexOf(control) };
}

/** Fills in the fields as they appear: a drawer may still be loading. */
function fillIn(fields: readonly Field[], onRestored: () => void): void {
  let left = [...fields];
  const attempt = () => {
    const before = left.length;
    left = left.filter(({ name, nth, value }) => {
      const control = sameNamed(name)[nth];
      if (!control) return true;
      setValue(control, value);
      return false;
    });
    if (left.length < before && left.length === 0) onRestored();
    if (left.length === 0) stop();
  };
  const observer = new MutationObserver(attempt);
  const timer = setTimeout(() => {
    stop();
    if (left.length < fields.length) onRestored();
  }, WAIT_MS_MAX);
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  observer.observe(document.body, { childList: true, subtree: true });
  attempt();
}

/** Sets a value as typing does, so that React hears of it. */
function setValue(control: Control, value: string): void {
  if (currentValue(control) === value) return;
  if (control instanceof HTMLButtonElement || control.type === "checkbox" || control.type === "radio") {
    control.click();
    return;
  }
  const prototype = Object.getPrototypeOf(control) as object;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(control, value);
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

function read(): Kept | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEY) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

/** Storage can be blocked or full; the input is then lost, as it would be without this. */
function write(kept: Kept | null): void {
  try {
    if (kept) window.sessionStorage.setItem(KEY, JSON.stringify(kept));
    else window.sessionStorage.removeItem(KEY);
  } catch {}
}
