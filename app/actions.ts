"use server";

import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { endSession } from "@/lib/auth/session";
import { LOCALE_COOKIE, LOCALES } from "@/lib/i18n/locale";

const ONE_YEAR = 31_536_000;

export async function setLocale(locale: string): Promise<void> {
  if (!LOCALES.some((known) => known === locale)) return;
  (await cookies()).set(LOCALE_COOKIE, locale, { path: "/", maxAge: ONE_YEAR, sameSite: "lax" });
}

export async function signOut(): Promise<void> {
  await endSession();
  redirect("/login");
}
