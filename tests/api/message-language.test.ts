import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { options } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { languageOf } from "@/lib/notify/deliver";
import { keepLanguage } from "@/lib/notify/language-commands";
import { getPreferences } from "@/lib/notify/queries";
import { setUpApi } from "./harness";

const api = setUpApi();

test("messages to somebody who chose no language are in the site's, then the browser's at sign-in, then the console's", async () => {
  const { db, sql } = api.database;
  const actor = { type: "user", id: api.bob.id, role: 1, group: "default", username: "bob" } as const;
  const ctx = { db, clientIp: "127.0.0.1", actor } as unknown as ServiceContext;
  const languageNow = async () => (await getPreferences(ctx)).language;

  await sql`update users set setting = '{}' where id = ${api.bob.id}`;
  expect(await languageNow()).toBe("zh");
  await db.insert(options).values({ key: "DefaultLanguage", value: "en" });
  expect(await languageNow()).toBe("en");
  expect(languageOf({}, { DefaultLanguage: "en" })).toBe("en");
  expect(languageOf({ language: "zh" }, { DefaultLanguage: "en" })).toBe("zh");
  await db.delete(options).where(eq(options.key, "DefaultLanguage"));

  await keepLanguage(db, api.bob.id, { locale: "en", isChosen: false });
  expect(await languageNow()).toBe("en");
  // A language that follows from another browser does not replace the one that is kept.
  await keepLanguage(db, api.bob.id, { locale: "zh", isChosen: false });
  expect(await languageNow()).toBe("en");
  await keepLanguage(db, api.bob.id, { locale: "zh", isChosen: true });
  expect(await languageNow()).toBe("zh");
});
