"use client";

import NextLink from "next/link";
import { type ComponentProps, useState } from "react";

type LinkProps = Omit<ComponentProps<typeof NextLink>, "prefetch" | "onMouseEnter" | "onFocusCapture" | "onTouchStart">;

/**
 * A link within the console. Its page is prefetched on hover or focus, not when it becomes visible: with the links of
 * menus, lists and tabs, prefetching what is visible would cause most of the server's requests.
 */
export function Link(props: LinkProps) {
  const [isLikely, setLikely] = useState(false);
  const onLikely = () => setLikely(true);
  return (
    <NextLink
      dir="auto"
      {...props}
      prefetch={isLikely ? null : false}
      onMouseEnter={onLikely}
      onFocusCapture={onLikely}
      onTouchStart={onLikely}
    />
  );
}
