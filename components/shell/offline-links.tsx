"use client";

import { useEffect } from "react";
import { useSayOffline } from "@/components/data-table/use-refresh";

/** While the browser is offline, links within the site stay where they are, so that the page is not lost. */
export function OfflineLinks() {
  const sayOffline = useSayOffline();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      if (navigator.onLine || event.defaultPrevented || event.button !== 0) return;
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.href || link.target === "_blank" || link.origin !== window.location.origin) return;
      if (link.pathname === window.location.pathname && link.search === window.location.search) return;
      event.preventDefault();
      event.stopPropagation();
      sayOffline();
    };
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, [sayOffline]);
  return null;
}
