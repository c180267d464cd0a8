import type { Locale } from "@/lib/i18n/locale";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";

/** The content of an e-mail as plain text, without markup. */
export type MailBody = {
  locale: Locale;
  siteName: string;
  subject: string;
  paragraphs: readonly string[];
  /** Shown large, for the reader to type in. */
  code?: string;
  link?: { url: string; label: string };
};

export type RenderedMail = { subject: string; text: string; html: string };

const texts = { zh: zh.mail, en: en.mail } as const;
type MailText = keyof typeof zh.mail;

/** A text under "mail". Arguments are inserted in one pass, so that braces in them are not read as placeholders. */
export function mailText(locale: Locale, key: MailText, params: Record<string, string | number> = {}): string {
  return texts[locale][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif";
const CODE_STYLE = "font:700 28px/1.2 ui-monospace,monospace;letter-spacing:.2em;margin:24px 0";
const BUTTON_STYLE =
  "display:inline-block;padding:10px 20px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none";

/** Renders the e-mail as plain text and as HTML. */
export function renderMail(body: MailBody): RenderedMail {
  const { locale, siteName, subject, paragraphs, code, link } = body;
  const footer = mailText(locale, "footer", { site: siteName });
  const lines = [
    ...paragraphs,
    ...(code === undefined ? [] : [code]),
    ...(link === undefined ? [] : [`${link.label}: ${link.url}`]),
    "--",
    footer,
  ];
  return { subject: `[${siteName}] ${subject}`, text: lines.join("\n\n"), html: toHtml(body, footer) };
}

function toHtml({ locale, siteName, subject, paragraphs, code, link }: MailBody, footer: string): string {
  const url = escapeHtml(link?.url ?? "");
  const parts = [
    `<p style="color:#6b7280;margin:0 0 8px">${escapeHtml(siteName)}</p>`,
    `<h1 style="font-size:20px;margin:0 0 16px">${escapeHtml(subject)}</h1>`,
    ...paragraphs.map((paragraph) => `<p style="margin:0 0 12px">${escapeHtml(paragraph)}</p>`),
    ...(code === undefined ? [] : [`<p style="${CODE_STYLE}">${escapeHtml(code)}</p>`]),
    ...(link === undefined
      ? []
      : [
          `<p style="margin:24px 0"><a style="${BUTTON_STYLE}" href="${url}">${escapeHtml(link.label)}</a></p>`,
          `<p style="margin:0 0 12px;word-break:break-all;color:#6b7280;font-size:13px">${url}</p>`,
        ]),
    `<p style="margin:32px 0 0;color:#6b7280;font-size:13px">${escapeHtml(footer)}</p>`,
  ];
  const lang = locale === "zh" ? "zh-CN" : "en";
  return [
    `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:32px 16px;background:#f9fafb;color:#111827;${FONT};font-size:15px;line-height:1.6">`,
    `<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">${parts.join("")}</div>`,
    "</body></html>",
  ].join("");
}
