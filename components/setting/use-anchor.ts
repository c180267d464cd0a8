"use client";

import { useEffect, useEffectEvent } from "react";

const SHOWN_MS = 2000;

/**
 * Scrolls to the card or option in the URL's hash and focuses it, on load and whenever the hash changes. An option that
 * is a column of a table has no field of its own; its card is shown.
 */
export function useAnchor(options: readonly { key: string; card: string }[]): void {
  const show = useEffectEvent(() => {
    const id = decodeURIComponent(window.location.hash.slice(1));
    if (!showAnchor(id)) showAnchor(options.find((option) => option.key === id)?.card ?? "");
  });
  useEffect(() => {
    const onHash = () => show();
    onHash();
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);
}

/** Scrolls to a card or an option. An option is highlighted for a moment and its control gets the focus. False = not there. */
export function showAnchor(id: string): boolean {
  const target = id === "" ? null : document.getElementById(id);
  if (!target) return false;
  target.scrollIntoView({ block: "start" });
  if (!target.dataset.option) return true;
  target.querySelector<HTMLElement>("input, textarea, select, [role=switch]")?.focus({ preventScroll: true });
  target.dataset.marked = "true";
  setTimeout(() => delete target.dataset.marked, SHOWN_MS);
  return true;
}
