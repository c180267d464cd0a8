import { isPageHeld } from "@/components/form/use-hold-page";

/** A control that people type into or switch. */
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLButtonElement;

const SWITCHES = "[role=switch], [role=checkbox]";
const CONTROLS = `input, textarea, select, ${SWITCHES}`;
/** What is typed here is no input that could be lost: filters and searches stand in the address. */
const NOT_KEPT = "[role=search], [role=searchbox], [cmdk-root], [type=search], [type=file], [data-session]";

const firstValues = new WeakMap<Control, string>();
const touched = new Set<Control>();

export function currentValue(control: Control): string {
  if (control.matches(SWITCHES)) return control.getAttribute("aria-checked") ?? "";
  if (control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio"))
    return String(control.checked);
  return control.value;
}

function controlOf(event: Event): Control | null {
  const found = event.target instanceof Element ? event.target.closest<Control>(CONTROLS) : null;
  return found && !found.closest(NOT_KEPT) ? found : null;
}

/** Notes what is typed and switched on the page from now on; returns what stops that. */
export function watchInput(): () => void {
  const onFocus = (event: Event) => {
    const control = controlOf(event);
    if (control && !firstValues.has(control)) firstValues.set(control, currentValue(control));
  };
  const onChange = (event: Event) => {
    const control = controlOf(event);
    if (control) touched.add(control);
  };
  const seen = ["focusin", "pointerdown"] as const;
  const changed = ["input", "change", "click"] as const;
  for (const name of seen) document.addEventListener(name, onFocus, { capture: true });
  for (const name of changed) document.addEventListener(name, onChange, { capture: true });
  return () => {
    for (const name of seen) document.removeEventListener(name, onFocus, { capture: true });
    for (const name of changed) document.removeEventListener(name, onChange, { capture: true });
    touched.clear();
  };
}

/** The controls that no longer have the value that they had before somebody typed into them. */
export function changedControls(): Control[] {
  for (const control of touched) if (!control.isConnected) touched.delete(control);
  return [...touched].filter((control) => currentValue(control) !== (firstValues.get(control) ?? ""));
}

/** Whether leaving the page would lose something: a form says so, or something was typed. */
export function hasUnsavedInput(): boolean {
  return isPageHeld() || changedControls().length > 0;
}
