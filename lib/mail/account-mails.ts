import type { Locale } from "@/lib/i18n/locale";
import { mailText, type RenderedMail, renderMail } from "./template";

type Common = { locale: Locale; siteName: string; minutes: number };

export function verificationMail({ locale, siteName, minutes, code }: Common & { code: string }): RenderedMail {
  return renderMail({
    locale,
    siteName,
    subject: mailText(locale, "codeSubject"),
    paragraphs: [
      mailText(locale, "codeIntroduction", { site: siteName }),
      mailText(locale, "codeValidity", { minutes }),
    ],
    code,
  });
}

export function resetMail({ locale, siteName, minutes, url }: Common & { url: string }): RenderedMail {
  return renderMail({
    locale,
    siteName,
    subject: mailText(locale, "resetSubject"),
    paragraphs: [
      mailText(locale, "resetIntroduction", { site: siteName }),
      mailText(locale, "resetValidity", { minutes }),
    ],
    link: { url, label: mailText(locale, "resetButton") },
  });
}
