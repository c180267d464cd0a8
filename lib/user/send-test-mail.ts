import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { tryMail } from "@/lib/mail/send-mail";
import { mailText, renderMail } from "@/lib/mail/template";
import { loadOptions } from "@/lib/option/queries";
import { getSelf } from "./queries";

/** `error` is null when the server accepted the message. `answer` is what it said, word for word; "" = nothing. */
export type TestMailResult = { to: string; error: AppError | null; answer: string };

/**
 * Sends a test message to the current user's address with the saved mail settings (root only). Throws invalid when the
 * account has no address, and unavailable without a mail server.
 */
export async function sendTestMail(ctx: ServiceContext, locale: Locale): Promise<TestMailResult> {
  requireRole(ctx, ROLE.root);
  const { email: to } = await getSelf(ctx);
  if (!to) throw new AppError("invalid", "testMailNoAddress");
  const { SystemName: siteName } = await loadOptions(ctx.db);
  const paragraphs = [mailText(locale, "testText")];
  const mail = renderMail({ locale, siteName, subject: mailText(locale, "testSubject"), paragraphs });
  return { to, ...(await tryMail(ctx.db, { to, ...mail })) };
}
