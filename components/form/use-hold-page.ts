"use client";

import { useEffect, useEffectEvent, useRef } from "react";

/** How many forms hold the page; `released`: the user has chosen to leave them. */
const page = { holds: 0, isReleased: false };

/** Whether a form of the page has unsaved changes. */
export function isPageHeld(): boolean {
  return page.holds > 0;
}

/** Lets the page be left without the browser's question, after the user has agreed to it. */
export function releasePage(): void {
  page.isReleased = true;
}

/**
 * Holds a page with unsaved changes: the browser asks before unload. Back and forward are cancelled and passed to `onTravel`
 * with a function that performs the navigation. Browsers that cannot cancel it navigate.
 */
export function useHoldPage(isHeld: boolean, onTravel: (travel: () => void) => void): void {
  const isReleased = useRef(false);
  const stop = useEffectEvent((event: NavigateEvent) => {
    const { key } = event.destination;
    event.preventDefault();
    onTravel(() => {
      isReleased.current = true;
      window.navigation.traverseTo(key);
    });
  });
  useEffect(() => {
    if (!isHeld) return;
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!page.isReleased) event.preventDefault();
    };
    page.holds += 1;
    const onNavigate = (event: NavigateEvent) => {
      if (event.navigationType === "traverse" && event.cancelable && !isReleased.current) stop(event);
    };
    const history = "navigation" in window ? window.navigation : null;
    window.addEventListener("beforeunload", onUnload);
    history?.addEventListener("navigate", onNavigate);
    return () => {
      isReleased.current = false;
      page.holds -= 1;
      window.removeEventListener("beforeunload", onUnload);
      history?.removeEventListener("navigate", onNavigate);
    };
  }, [isHeld]);
}
