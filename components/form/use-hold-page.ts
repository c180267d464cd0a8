"use client";

import { useEffect, useEffectEvent, useRef } from "react";

/**
 * Holds a page with something unsaved: the browser asks before it closes. A step back or forward is stopped and told to
 * `onTravel`, with what takes it after all; browsers that cannot stop it let it happen.
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
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onNavigate = (event: NavigateEvent) => {
      if (event.navigationType === "traverse" && event.cancelable && !isReleased.current) stop(event);
    };
    const history = "navigation" in window ? window.navigation : null;
    window.addEventListener("beforeunload", onUnload);
    history?.addEventListener("navigate", onNavigate);
    return () => {
      isReleased.current = false;
      window.removeEventListener("beforeunload", onUnload);
      history?.removeEventListener("navigate", onNavigate);
    };
  }, [isHeld]);
}
