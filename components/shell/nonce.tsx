"use client";

import { setNonce } from "get-nonce";
import { createContext, type ReactNode, useContext, useState } from "react";

const Nonce = createContext("");

/**
 * What the content security policy of this document asks of every style element and script. A page that is fetched later
 * comes with another one, which does not count for the document that is open: the first is kept.
 */
export function NonceProvider({ nonce, children }: { nonce: string; children: ReactNode }) {
  const [first] = useState(() => {
    // Dialogs and menus stop the page from scrolling by a style element of theirs, which asks here.
    if (typeof window !== "undefined") setNonce(nonce);
    return nonce;
  });
  return <Nonce value={first}>{children}</Nonce>;
}

export const useNonce = () => useContext(Nonce);

/** HTML for a frame inside this document, whose policy holds there too: its style elements are let through. */
export function withNonce(html: string, nonce: string): string {
  return html.replace(/<style\b/gi, `<style nonce="${nonce}"`);
}
