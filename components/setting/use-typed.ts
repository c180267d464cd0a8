"use client";

import { useState } from "react";

/**
 * The text of a field whose value may be worked out from another one: while it is typed into it shows what is typed, so
 * that the value does not rewrite itself under the cursor; once left, or when the value changes otherwise, the value.
 */
export function useTyped(value: string, onValue: (text: string) => void) {
  // `led` is the value that the typing led to, known when the field shows next.
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
