"use client";

import { useInBrowser } from "@/components/format/time";

/** Label of the modifier key of the palette shortcut; Apple devices have their own symbol. */
export function useModifierKey(): "⌘" | "Ctrl" {
  const inBrowser = useInBrowser();
  return inBrowser && /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘" : "Ctrl";
}
