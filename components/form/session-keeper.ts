import { NOBODY } from "@/lib/page-user";

/** The user whom this page was made for. */
export type PageUser = { id: number; username: string };

/** What the page does when its session has ended or belongs to somebody else. */
export type SessionGuard = {
  /** Resolves to true once the page's user is signed in (again), false when they give up or somebody else is. */
  signIn: () => Promise<boolean>;
  /** Asks the server who is signed in now, and says so on the page if it is not its user. */
  check: () => Promise<{ type: string }>;
};

type Keeper = { user: PageUser | null | undefined; guard: SessionGuard | null };

/** `undefined`: the page has not said yet whom it was made for. */
const keeper: Keeper = { user: undefined, guard: null };

export function setPageUser(user: PageUser | null): void {
  keeper.user = user;
}

/** The value of PAGE_USER_HEADER; null before the page has said whom it was made for. */
export function statedPageUser(): string | null {
  if (keeper.user === undefined) return null;
  return keeper.user === null ? NOBODY : String(keeper.user.id);
}

/** Takes the guard of the page, and returns what removes it. */
export function registerGuard(guard: SessionGuard): () => void {
  keeper.guard = guard;
  return () => {
    if (keeper.guard === guard) keeper.guard = null;
  };
}

/** Has the page ask who is signed in, because a call was refused for that, or before its input would be replaced. */
export async function checkSession(): Promise<{ isSame: boolean }> {
  const session = await keeper.guard?.check();
  return { isSame: session === undefined || session.type === "same" };
}

/** Lets the page's user sign in over the page, with all that is typed on it. False where nobody was signed in. */
export function signInOverPage(): Promise<boolean> {
  return keeper.user && keeper.guard ? keeper.guard.signIn() : Promise.resolve(false);
}

/** Sends a request, and sends it again once the user has signed in, if it was refused because the session has ended. */
export async function sendSignedIn(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  return response.status === 401 && (await signInOverPage()) ? send() : response;
}

/**
 * Opens the sign-in page after the session has expired, which leads back here. A page whose user can sign in over it
 * stays: its guard has said so.
 */
export function goToSignIn(): void {
  if (keeper.user && keeper.guard) return;
  const here = `${window.location.pathname}${window.location.search}`;
  const back = keeper.user ? `&redirect=${encodeURIComponent(here)}` : "";
  window.location.assign(`/login?expired=true${back}`);
}
