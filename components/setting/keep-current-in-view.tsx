"use client";

import { useEffect, useRef } from "react";

/** Scrolls the list of pages around it, and nothing else, so that the open page is seen in it. */
export function KeepCurrentInView({ page }: { page: string | null }) {
  const own = useRef<HTMLSpanElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another current link
  useEffect(() => {
    const list = own.current?.closest("nav");
    const current = list?.querySelector("[aria-current=page]");
    if (!list || !current) return;
    const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
    if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }, [page]);
  return <span ref={own} hidden />;
}
