"use server";

import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { endSession } from "@/lib/auth/session";
import { action } from "@/lib/http/action";
import { LOCALE_COOKIE, LOCALES } from "@/lib/i18n/locale";
import { keepLanguage } from "@/lib/notify/language-commands";
import { checkOnboarding } from "@/lib/onboarding/queries";

const ONE_YEAR = 31_536_000;

/** The language of the console in this browser, and of messages to the signed-in user. */
export const setLocale = action(z.string(), async ({ actor, db }, wanted) => {
  const locale = LOCALES.find((known) => known === wanted);
  if (!locale) return;
  (await cookies()).set(LOCALE_COOKIE, locale, { path: "/", maxAge: ONE_YEAR, sameSite: "lax" });
  if (actor.type === "user") await keepLanguage(db, actor.id, { locale, isChosen: true });
});

export const signOut = action(z.void(), async () => {
  await endSession();
  redirect("/login");
});

/** Polled by the checklist while it is on screen. */
export const onboardingSteps = action(z.object({}), (ctx) => checkOnboarding(ctx));
