import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import type { Locale } from "@/lib/i18n/locale";

/**
 * Keeps the language that a user reads the console in, for messages to that user. `isChosen` is false for a language that
 * only follows from the browser: it never replaces one that is kept already.
 */
export async function keepLanguage(
  db: Database,
  userId: number,
  { locale, isChosen }: { locale: Locale; isChosen: boolean },
): Promise<void> {
  const language = JSON.stringify({ language: locale });
  const setting = isChosen ? sql`${users.setting} || ${language}::jsonb` : sql`${language}::jsonb || ${users.setting}`;
  await db.update(users).set({ setting }).where(eq(users.id, userId));
}
