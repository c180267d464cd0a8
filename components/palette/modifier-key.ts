"use client";

import { useInBrowser } from "@/components/format/time";

/** What the key is called that opens the palette together with K: on Apple's machines it has a sign of its own. */
export function useModifierKey(): "⌘" | "Ctrl" {
  const inBrowser = useInBrowser();
  return inBrowser && /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘" : "Ctrl";
}
