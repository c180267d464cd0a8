import type { PageUser } from "@/components/form/session-keeper";
import { releasePage } from "@/components/form/use-hold-page";
import { SESSION_PATH } from "@/lib/page-user";
import { hasUnsavedInput } from "./unsaved-input";

/** The page's user is signed in; nobody is; or somebody else, by name. */
export type Session = { type: "same" } | { type: "ended" } | { type: "other"; name: string };

export type SessionWatch = {
  read: () => Session;
  subscribe: (listener: () => void) => () => void;
  /** Asks the server. `isAsked`: somebody acts on the page just now, so that it must not be loaded anew. */
  check: (isAsked?: boolean) => Promise<Session>;
  /** Tells the other tabs whom this page is made for, and listens to them; returns what stops that. */
  start: () => () => void;
};

const CHANNEL = "weir-session";
const SAME: Session = { type: "same" };
const NOBODY_ID = 0;
/** A provider's answer signs somebody in and then leads on. Loaded anew, the page would send it a second time. */
const SIGNS_IN = /^\/oauth\//;

/**
 * Finds out whether a page still shows who is signed in. When it does not and nothing would be lost, it is loaded anew. That
 * also clears all that the browser remembers of the user before.
 */
export function createSessionWatch(user: PageUser | null): SessionWatch {
  const own = user?.id ?? NOBODY_ID;
  const listeners = new Set<() => void>();
  let session = SAME;
  const set = (next: Session) => {
    session = next;
    for (const listener of listeners) listener();
  };
  const check = async (isAsked = false) => {
    if (SIGNS_IN.test(window.location.pathname)) return session;
    const found = await askWho(own);
    // Without an answer nothing is known; the next action will report the failure.
    if (found === null) return session;
    const isBack = session.type !== "same" && found.type === "same";
    if (found.type !== "same" && !isAsked && !hasUnsavedInput()) loadAnew();
    else if (found.type !== "same" || isBack) set(found);
    if (isBack) tell(own);
    return found;
  };
  const start = () => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<number>) => {
      if (data !== own || session.type !== "same") void check();
    };
    channel.postMessage(own);
    const onVisible = () => {
      if (document.visibilityState === "visible" && user) void check();
    };
    // A page that comes back from the browser's memory has heard nothing meanwhile.
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void check();
    };
    document.addEventListener("visibilitychange", onVisible);
    window.addEventListener("pageshow", onShow);
    return () => {
      channel.close();
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("pageshow", onShow);
    };
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { read: () => session, subscribe, check, start };
}

/** Loads the page for whoever is signed in. */
export function loadAnew(): void {
  releasePage();
  window.location.reload();
}

function tell(id: number): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(id);
  channel.close();
}

/** Who is signed in, seen from a page that was made for the user with this id; null when the server does not say. */
async function askWho(own: number): Promise<Session | null> {
  try {
    const answer = await fetch(SESSION_PATH, { cache: "no-store" });
    if (!answer.ok) return null;
    const { user } = (await answer.json()) as { user: { id: number; name: string } | null };
    if ((user?.id ?? NOBODY_ID) === own) return SAME;
    return user ? { type: "other", name: user.name } : { type: "ended" };
  } catch {
    return null;
  }
}
