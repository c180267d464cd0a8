"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link of a menu: its page is fetched ahead once somebody points at it or reaches it by keyboard, not for being seen.
 * A menu is on every page, and all of its pages each time would be most of what the server is asked for.
 */
export function MenuLink(
  props: Omit<ComponentProps<typeof Link>, "prefetch" | "onMouseEnter" | "onFocusCapture" | "onTouchStart">,
) {
  const [isLikely, setLikely] = useState(false);
  const onLikely = () => setLikely(true);
  return (
    <Link
      {...props}
      prefetch={isLikely ? null : false}
      onMouseEnter={onLikely}
      onFocusCapture={onLikely}
      onTouchStart={onLikely}
    />
  );
}
