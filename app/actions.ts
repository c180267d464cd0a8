"use server";

import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { endSession, getContext } from "@/lib/auth/session";
import { LOCALE_COOKIE, LOCALES } from "@/lib/i18n/locale";
import { keepLanguage } from "@/lib/notify/language-commands";

const ONE_YEAR = 31_536_000;

/** The language of the console in this browser, and of messages to the signed-in user. */
export async function setLocale(wanted: string): Promise<void> {
  const locale = LOCALES.find((known) => known === wanted);
  if (!locale) return;
  (await cookies()).set(LOCALE_COOKIE, locale, { path: "/", maxAge: ONE_YEAR, sameSite: "lax" });
  const { actor, db } = await getContext();
  if (actor.type === "user") await keepLanguage(db, actor.id, { locale, isChosen: true });
}

export async function signOut(): Promise<void> {
  await endSession();
  redirect("/login");
}
