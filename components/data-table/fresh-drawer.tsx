"use client";

import { createLoader, useQueryStates } from "nuqs";
import { Fragment, type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { nameOfPanel, panelParams } from "./list-params";

/** `shown` is what the server made `children` for: a name of `nameOfPanel`. */
type FreshDrawerProps = { shown: string | null; children: ReactNode };

const loadPanel = createLoader(panelParams);
/** After a step back or forward the address is known at once, and the page's state a moment later. */
const SETTLED_MS = 150;

/**
 * Mounts a drawer anew each time that the URL asks for one. Somebody who closes it and opens it again at once would
 * otherwise get the closed one back: the server's page without it never came between. After a step back to an address
 * without a drawer none is shown, whatever page the browser has kept for it.
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
  // A step back before the server's page has come ends that page, and nothing else says that the address is another.
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
  // A closed one stays while it goes away; that of another row must not be seen meanwhile.
  if (last.isLeft || (asked !== null && asked !== shown)) return null;
  return <Fragment key={last.openings}>{children}</Fragment>;
}
