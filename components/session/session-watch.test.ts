import { afterEach, expect, test, vi } from "vitest";
import { createSessionWatch } from "./session-watch";

afterEach(() => vi.unstubAllGlobals());

/** How often a visitor's page at this address is loaded anew when Bob is signed in by now. */
async function reloadsAt(pathname: string): Promise<number> {
  const reload = vi.fn();
  vi.stubGlobal("window", { location: { pathname, reload } });
  vi.stubGlobal("fetch", async () => Response.json({ user: { id: 8, name: "bob" } }));
  await createSessionWatch(null).check();
  return reload.mock.calls.length;
}

test("a page is loaded anew for who is signed in by now, but never one that signs in by itself: its code is good once (A233)", async () => {
  expect(await reloadsAt("/pricing")).toBe(1);
  expect(await reloadsAt("/login")).toBe(1);
  for (const provider of ["github", "linuxdo", "oidc"]) expect(await reloadsAt(`/oauth/${provider}`)).toBe(0);
});
