"use client";

import { createLoader, useQueryStates } from "nuqs";
import { Fragment, type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { nameOfPanel, panelParams } from "./list-params";

/** `shown` is the panel that the server rendered `children` for, as named by `nameOfPanel`. */
type FreshDrawerProps = { shown: string | null; children: ReactNode };

const loadPanel = createLoader(panelParams);
/** After back or forward the URL changes at once; the router's state follows within this time. */
const SETTLED_MS = 150;

/**
 * Remounts a drawer each time the URL asks for one. Without this, closing and reopening it quickly would show the closed
 * drawer again, because the server never rendered the page without it. After a step back to a URL without a drawer it
 * renders nothing, even if the browser restores a cached page.
 */
export function FreshDrawer({ shown, children }: FreshDrawerProps) {
  const [panel, setPanel] = useQueryStates(panelParams);
  const asked = nameOfPanel(panel);
  const [last, setLast] = useState({ asked, openings: 0, isLeft: false });
  if (last.asked !== asked) {
    const isOpened = asked !== null;
    setLast({ asked, openings: last.openings + (isOpened ? 1 : 0), isLeft: last.isLeft && !isOpened });
  }
  const onTravel = useEffectEvent(() => {
    const isLeft = nameOfPanel(loadPanel(window.location.search)) === null;
    setLast((before) => ({ ...before, isLeft }));
  });
  // A step back before the server has rendered cancels that navigation, and nothing tells nuqs that the URL changed.
  const onSettled = useEffectEvent(() => {
    const there = loadPanel(window.location.search);
    if (nameOfPanel(there) !== asked) void setPanel(there, { shallow: true, history: "replace" });
  });
  useEffect(() => {
    let timer: number | undefined;
    const listener = () => {
      onTravel();
      window.clearTimeout(timer);
      timer = window.setTimeout(onSettled, SETTLED_MS);
    };
    window.addEventListener("popstate", listener);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("popstate", listener);
    };
  }, []);
  // A closed drawer stays for its exit animation, but the drawer of another row must not show meanwhile.
  if (last.isLeft || (asked !== null && asked !== shown)) return null;
  return <Fragment key={last.openings}>{children}</Fragment>;
}
