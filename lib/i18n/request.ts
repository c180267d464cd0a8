import { cookies, headers } from "next/headers";
import type { Messages } from "next-intl";
import { getRequestConfig } from "next-intl/server";
import { compileTexts } from "./compiled";
import { chooseLocale, LOCALE_COOKIE } from "./locale";

export default getRequestConfig(async () => {
  const chosen = (await cookies()).get(LOCALE_COOKIE)?.value;
  const locale = chooseLocale(chosen, (await headers()).get("accept-language"));
  const { default: texts } = await import(`../../messages/${locale}.json`);
  // next-intl's types know only texts that are not compiled.
  const messages = compileTexts(texts) as unknown as Messages;
  return { locale, messages, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
});
