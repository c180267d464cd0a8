"use client";

import { UserRoundX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import type { PageUser } from "@/components/form/session-keeper";
import { Button } from "@/components/ui/button";
import { loadAnew, type Session } from "./session-watch";

type SessionBarProps = { session: Exclude<Session, { type: "same" }>; user: PageUser | null; onSignIn: () => void };

/** Says above everything, drawers too, that the page's user is no longer signed in. What was typed stays. */
export function SessionBar({ session, user, onSignIn }: SessionBarProps) {
  const t = useTranslations("session");
  const [bar, setBar] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!bar) return;
    // An open drawer or dialog must not take a click on the bar for one beside it, and close.
    const stop = (event: Event) => event.stopPropagation();
    bar.addEventListener("pointerdown", stop);
    bar.addEventListener("focusin", stop);
    // Messages show below it, however many lines it has.
    const page = document.documentElement.style;
    const observer = new ResizeObserver(() => page.setProperty("--session-bar", `${bar.offsetHeight}px`));
    observer.observe(bar);
    return () => {
      bar.removeEventListener("pointerdown", stop);
      bar.removeEventListener("focusin", stop);
      observer.disconnect();
      page.removeProperty("--session-bar");
    };
  }, [bar]);
  const name = user?.username ?? "";
  const isEnded = session.type === "ended";
  const text = isEnded ? t("ended") : name === "" ? t("entered", session) : t("other", { ...session, user: name });
  return createPortal(
    <div
      ref={setBar}
      role="alert"
      data-session
      className="pointer-events-auto fixed inset-x-0 top-0 z-60 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-warning/40 bg-surface px-4 py-2.5 shadow-lg"
    >
      <p className="flex min-w-0 items-center gap-2 wrap-anywhere">
        <UserRoundX className="size-4 shrink-0 text-warning" aria-hidden />
        {text}
      </p>
      <Button variant="primary" onClick={isEnded ? onSignIn : loadAnew}>
        {isEnded ? t("signIn") : t("reload")}
      </Button>
    </div>,
    document.body,
  );
}
