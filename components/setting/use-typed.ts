"use client";

import { useState } from "react";

/**
 * The text of a field whose value is computed from another one. While the user types it shows the typed text, so that
 * the value does not change under the cursor. On blur, or when the value changes otherwise, it shows the value.
 */
export function useTyped(value: string, onValue: (text: string) => void) {
  // `led` is the value that the typed text produced; it is known at the next render.
  const [typed, setTyped] = useState<{ text: string; led: string | null } | null>(null);
  if (typed && typed.led === null) setTyped({ ...typed, led: value });
  else if (typed && typed.led !== value) setTyped(null);
  return {
    text: typed?.text ?? value,
    onText: (text: string) => {
      setTyped({ text, led: null });
      onValue(text.trim());
    },
    onLeave: () => setTyped(null),
  };
}
