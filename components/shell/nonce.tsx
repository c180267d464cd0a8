"use client";

import { setNonce } from "get-nonce";
import { createContext, type ReactNode, useContext, useState } from "react";

const Nonce = createContext("");

/**
 * The content security policy nonce of this document, for styles and scripts. Client-side navigation delivers a new nonce,
 * but the document's policy still requires the first one, so the first is kept.
 */
export function NonceProvider({ nonce, children }: { nonce: string; children: ReactNode }) {
  const [first] = useState(() => {
    // Dialogs and menus lock scrolling with a style element; their library reads its nonce from get-nonce.
    if (typeof window !== "undefined") setNonce(nonce);
    return nonce;
  });
  return <Nonce value={first}>{children}</Nonce>;
}

export const useNonce = () => useContext(Nonce);

/** Adds the nonce to the style elements of a frame's HTML: the document's policy also applies to srcdoc frames. */
export function withNonce(html: string, nonce: string): string {
  return html.replace(/<style\b/gi, `<style nonce="${nonce}"`);
}
