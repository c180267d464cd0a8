"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A menu link. Its page is prefetched on hover or focus, not when it becomes visible: menus are on every page, and
 * prefetching all their links would cause most of the server's requests.
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
