"use client";

import { ThemeProvider, useTheme } from "next-themes";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { useNonce } from "./nonce";

/**
 * Light, dark or system theme; stored under "theme-mode". Its `disableTransitionOnChange` is left out: it acts at every page
 * load, not only at a change, and computes the style of all elements twice more. So colours fade when the system changes its
 * theme, or another tab does; not when somebody chooses one here.
 */
export function Theme({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider attribute="class" defaultTheme="system" enableSystem storageKey="theme-mode" nonce={useNonce()}>
      {children}
    </ThemeProvider>
  );
}

/** Returns a function that changes the theme at once: no colour fades. */
export function useChooseTheme(): (theme: string) => void {
  const { setTheme } = useTheme();
  return (theme) => {
    const page = document.documentElement;
    page.classList.add("theme-changes");
    try {
      // The class of the theme is set by an effect, which flushSync runs as well.
      flushSync(() => setTheme(theme));
      // Reading a size applies the new colours while transitions are off.
      void document.body.offsetHeight;
    } finally {
      page.classList.remove("theme-changes");
    }
  };
}
