"use client";

import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { type ReactNode, startTransition, useContext, useEffect, useMemo, useRef } from "react";
import { useSayOffline } from "@/components/data-table/use-refresh";
import { checkSession } from "@/components/form/session-keeper";
import { hasUnsavedInput } from "@/components/session/unsaved-input";

/**
 * While the browser is offline, a changed filter, order or page stays in the URL, but the router asks nobody: it would
 * leave the page for the browser's error page. What was missed is loaded when the browser is online again.
 */
export function OfflineRouter({ children }: { children: ReactNode }) {
  const router = useContext(AppRouterContext);
  const sayOffline = useSayOffline();
  const isBehind = useRef(false);
  const guarded = useMemo(() => {
    if (!router) return null;
    const onlyOnline =
      <Given extends unknown[]>(run: (...given: Given) => void) =>
      (...given: Given): void => {
        if (navigator.onLine) run(...given);
        else {
          isBehind.current = true;
          sayOffline();
        }
      };
    // Nobody asks for a refresh. While something is typed it must not lead to the sign-in page, nor show another user's data.
    const refresh = () => {
      if (!hasUnsavedInput()) return router.refresh();
      checkSession().then(({ isSame }) => (isSame ? startTransition(() => router.refresh()) : undefined));
    };
    return {
      ...router,
      push: onlyOnline(router.push),
      replace: onlyOnline(router.replace),
      refresh: onlyOnline(refresh),
    };
  }, [router, sayOffline]);
  useEffect(() => {
    const onOnline = () => {
      if (isBehind.current) startTransition(() => router?.refresh());
      isBehind.current = false;
    };
    window.addEventListener("online", onOnline);
    return () => window.removeEventListener("online", onOnline);
  }, [router]);
  if (!guarded) return children;
  return <AppRouterContext value={guarded}>{children}</AppRouterContext>;
}
