"use client";

import { ThemeProvider, useTheme } from "next-themes";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { useNonce } from "./nonce";

/**
 * Light, dark or system theme; stored under "theme-mode". Its `disableTransitionOnChange` is left out: it acts at every page
 * load, not only at a change, and computes the style of all elements twice more.
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
    // The class of the theme is set by an effect, which flushSync runs as well.
    flushSync(() => setTheme(theme));
    // Reading a size applies the new colours while transitions are off.
    void document.body.offsetHeight;
    page.classList.remove("theme-changes");
  };
}
