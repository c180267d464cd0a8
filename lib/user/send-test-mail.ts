import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { sendMail } from "@/lib/mail/send-mail";
import { mailText, renderMail } from "@/lib/mail/template";
import { loadOptions } from "@/lib/option/queries";
import { getSelf } from "./queries";

/**
 * Sends a message to the caller's own address by the mail settings as they are saved (root only); returns that address.
 * Throws invalid when the account has none, else what sendMail throws.
 */
export async function sendTestMail(ctx: ServiceContext, locale: Locale): Promise<{ to: string }> {
  requireRole(ctx, ROLE.root);
  const { email: to } = await getSelf(ctx);
  if (!to) throw new AppError("invalid", "testMailNoAddress");
  const { SystemName: siteName } = await loadOptions(ctx.db);
  const paragraphs = [mailText(locale, "testText")];
  const mail = renderMail({ locale, siteName, subject: mailText(locale, "testSubject"), paragraphs });
  await sendMail(ctx.db, { to, ...mail });
  return { to };
}
