import type { Page } from "@playwright/test";
import { signInToApi } from "../accounts";
import { expect } from "../fixtures";

export type Who = { username: string; password: string };

export const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Log in again" });

/** Says that somebody else has signed in, or that nobody is. */
export const barOf = (page: Page) => page.getByRole("alert").filter({ has: page.getByRole("button") });

/** Signs the user in again over what the page shows. */
export async function signInOver(page: Page, password: string): Promise<void> {
  const dialog = dialogOf(page);
  await expect(dialog).toBeVisible();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(dialog).toBeHidden();
}

/** Leaves what a session leaves that has ended: the browser sends none. */
export const endSession = (page: Page) => page.context().clearCookies({ name: "session" });

/** Signs in without a page, so that open pages hear nothing of it. */
export async function enter(page: Page, { username, password }: Who): Promise<void> {
  await signInToApi(page, username, password);
}
