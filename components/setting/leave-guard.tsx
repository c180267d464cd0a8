"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useHoldPage } from "@/components/form/use-hold-page";
import { useSetting } from "./setting-context";

/** Asks before the user leaves with unsaved changes: by a link in the console, the back button, or closing the page. */
export function LeaveGuard() {
  const t = useTranslations("setting");
  const router = useRouter();
  const { dirty } = useSetting();
  const isDirty = dirty > 0;
  const [target, setTarget] = useState<(() => void) | null>(null);
  useHoldPage(isDirty, (travel) => setTarget(() => travel));
  useEffect(() => {
    if (!isDirty) return;
    const onClick = (event: MouseEvent) => {
      const href = leavingLink(event);
      if (href === null) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(() => () => router.push(href as Route));
    };
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, [isDirty, router]);
  const onConfirm = () => {
    setTarget(null);
    target?.();
  };
  return (
    <ConfirmDialog
      open={target !== null}
      onClose={() => setTarget(null)}
      onConfirm={onConfirm}
      pending={false}
      title={t("leaveTitle")}
      text={t("leaveText")}
      confirm={t("leave")}
    />
  );
}

/** The link's URL if a click leaves this settings page for another page of the console; otherwise null. */
function leavingLink(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.target === "_blank" || link.origin !== window.location.origin) return null;
  const stays = link.pathname === window.location.pathname && link.search === window.location.search;
  return stays ? null : `${link.pathname}${link.search}${link.hash}`;
}
