"use client";

import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";
import { useNonce } from "./nonce";

/** Light, dark or system theme; stored under "theme-mode". */
export function Theme({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider
      attribute="class"
      defaultTheme="system"
      enableSystem
      disableTransitionOnChange
      storageKey="theme-mode"
      nonce={useNonce()}
    >
      {children}
    </ThemeProvider>
  );
}
