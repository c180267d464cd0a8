"use client";

import { useEffect } from "react";

const SHOWN_MS = 2000;

/** Scrolls to the card or option in the URL's hash and focuses it, on load and whenever the hash changes. */
export function useAnchor(): void {
  useEffect(() => {
    const onHash = () => showAnchor(decodeURIComponent(window.location.hash.slice(1)));
    onHash();
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);
}

/** Scrolls to a card or an option. An option is highlighted for a moment and its control gets the focus. */
export function showAnchor(id: string): void {
  const target = id === "" ? null : document.getElementById(id);
  if (!target) return;
  target.scrollIntoView({ block: "start" });
  if (!target.dataset.option) return;
  target.querySelector<HTMLElement>("input, textarea, select, [role=switch]")?.focus({ preventScroll: true });
  target.dataset.marked = "true";
  setTimeout(() => delete target.dataset.marked, SHOWN_MS);
}
