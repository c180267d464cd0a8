import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { sendMail } from "@/lib/mail/send-mail";
import { mailText, renderMail } from "@/lib/mail/template";
import { loadOptions } from "@/lib/option/queries";
import { getSelf } from "./queries";

/**
 * Sends a test message to the current user's address with the saved mail settings (root only); returns the address.
 * Throws invalid when the account has none, and the errors of sendMail.
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
