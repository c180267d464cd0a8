import { useInBrowser } from "@/components/format/time";
import { isComposing } from "@/components/ui/composing";
import { readStored, writeStored } from "@/components/ui/stored";

const OFF_KEY = "shortcuts-off";
const SEQUENCE_MS = 1_500;

/** Whether single-key shortcuts are on. Users who dictate or press keys by accident can disable them; Ctrl/Cmd-K always works. */
export const areShortcutsOn = () => readStored(OFF_KEY) !== "true";
export const setShortcutsOn = (on: boolean) => writeStored(OFF_KEY, on ? null : "true");

/** Label of the modifier key of the palette shortcut; Apple devices have their own symbol. */
export function useModifierKey(): "⌘" | "Ctrl" {
  const inBrowser = useInBrowser();
  return inBrowser && /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘" : "Ctrl";
}

type Actions = {
  openPalette: () => void;
  openHelp: () => void;
  /** Receives the key pressed after "g". */
  goTo: (key: string) => void;
  row: (action: "next" | "previous" | "open" | "edit" | "select") => void;
};

const ROW_KEYS = { j: "next", k: "previous", e: "edit", x: "select" } as const;

/** Handles the shortcuts of the page. Remembers "g" for the next key; ignores keys in fields, menus and dialogs. */
export function createKeyReader(actions: Actions): (event: KeyboardEvent) => void {
  let goAt = 0;
  return (event) => {
    if (isComposing(event)) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return actions.openPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTaken(event.target) || !areShortcutsOn()) return;
    const isSequence = Date.now() - goAt < SEQUENCE_MS;
    goAt = 0;
    const { key } = event;
    if (isSequence && /^[a-z]$/.test(key)) actions.goTo(key);
    else if (key === "g") goAt = Date.now();
    else if (key === "?") actions.openHelp();
    else if (key in ROW_KEYS) actions.row(ROW_KEYS[key as keyof typeof ROW_KEYS]);
    else if (key === "Enter" && event.target instanceof HTMLTableRowElement) actions.row("open");
    else return;
    event.preventDefault();
  };
}

/** Fields, menus, lists and open dialogs handle keys themselves. */
function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  const busy = "input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]";
  return target.closest(busy) !== null || document.querySelector("[role=dialog][data-state=open]") !== null;
}
