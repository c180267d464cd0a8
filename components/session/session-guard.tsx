"use client";

import type { Route } from "next";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { type PageUser, registerGuard, setPageUser } from "@/components/form/session-keeper";
import { later } from "@/components/ui/later";
import { toast } from "@/components/ui/toast";
import { keepInput, onSignInPage, restoreInput } from "./kept-input";
import { SessionBar } from "./session-bar";
import { createSessionWatch, type Session } from "./session-watch";
import type { SignInDialogProps, SignInOver } from "./sign-in-dialog";
import { watchInput } from "./unsaved-input";

const dialogCode = later<SignInDialogProps>(() => import("./sign-in-dialog").then(({ SignInDialog }) => SignInDialog));
const noDialog = () => null;
const RESTORED_MS = 6_000;
const SAME: Session = { type: "same" };
const onServer = () => SAME;

/**
 * Keeps a page from acting for another user than the one whom it shows. When somebody else signs in by another tab, the page
 * is loaded anew, or says so where something was typed. When the session ends, its user signs in over the page.
 */
export function SessionGuard({ user, signIn }: { user: PageUser | null; signIn: SignInOver }) {
  // At every render, before other effects: the layout may now be that of another user, or the sign-in page may have
  // taken over.
  useLayoutEffect(() => setPageUser(user));
  useKeptInput(user);
  return <Guard key={user?.id ?? 0} user={user} signIn={signIn} />;
}

function Guard({ user, signIn }: { user: PageUser | null; signIn: SignInOver }) {
  const [watch] = useState(() => createSessionWatch(user));
  const session = useSyncExternalStore(watch.subscribe, watch.read, onServer);
  const Dialog = useSyncExternalStore(dialogCode.subscribe, dialogCode.read, noDialog);
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<((isSignedIn: boolean) => void)[]>([]);

  const finish = useCallback((isSignedIn: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(isSignedIn);
  }, []);
  const ask = useCallback(async (): Promise<boolean> => {
    const { type } = await watch.check(true);
    if (type !== "ended") return type === "same";
    dialogCode.start();
    setOpen(true);
    return new Promise((resolve) => waiting.current.push(resolve));
  }, [watch]);
  useEffect(() => watch.start(), [watch]);
  useEffect(() => registerGuard({ signIn: ask, check: () => watch.check(true) }), [watch, ask]);
  // Whoever signs in, here or by another tab, ends the question.
  const { type } = session;
  useEffect(() => {
    if (type !== "ended") finish(type === "same");
  }, [type, finish]);

  if (isOpen && Dialog && user)
    return (
      <Dialog
        username={user.username}
        signIn={signIn}
        onSignedIn={() => void watch.check(true)}
        onCancel={() => finish(false)}
      />
    );
  return session.type === "same" ? null : <SessionBar session={session} user={user} onSignIn={() => void ask()} />;
}

/** Keeps what was typed while its user has to leave the page in order to sign in, and puts it back afterwards. */
function useKeptInput(user: PageUser | null): void {
  const t = useTranslations("session");
  const router = useRouter();
  const id = user?.id ?? null;
  const onRestored = useEffectEvent(() => toast.info(t("restored"), { duration: RESTORED_MS }));
  const returnTo = useEffectEvent((path: string) => router.replace(path as Route));
  const address = `${usePathname()}?${useSearchParams()}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a sign-in elsewhere the address of the input comes last
  useEffect(() => {
    if (id === null) return onSignInPage();
    const path = restoreInput(id, () => onRestored());
    if (path !== null) returnTo(path);
  }, [id, address]);
  useLayoutEffect(() => {
    if (id === null) return;
    const stop = watchInput();
    const keep = () => keepInput(id);
    window.addEventListener("pagehide", keep);
    return () => {
      // The router leads to the sign-in page without unloading this one.
      keep();
      window.removeEventListener("pagehide", keep);
      stop();
    };
  }, [id]);
}
