"use client";

import { useQueryStates } from "nuqs";
import { Fragment, type ReactNode, useState } from "react";
import { nameOfPanel, panelParams } from "./list-params";

/** `shown` is what the server made `children` for: a name of `nameOfPanel`. */
type FreshDrawerProps = { shown: string | null; children: ReactNode };

/**
 * Mounts a drawer anew each time that the URL asks for one. Somebody who closes it and opens it again at once would
 * otherwise get the closed one back: the server's page without it never came between.
 */
export function FreshDrawer({ shown, children }: FreshDrawerProps) {
  const [panel] = useQueryStates(panelParams);
  const asked = nameOfPanel(panel);
  const [last, setLast] = useState({ asked, openings: 0 });
  if (last.asked !== asked) setLast({ asked, openings: last.openings + (asked === null ? 0 : 1) });
  // A closed one stays while it goes away; that of another row must not be seen meanwhile.
  if (asked !== null && asked !== shown) return null;
  return <Fragment key={last.openings}>{children}</Fragment>;
}
