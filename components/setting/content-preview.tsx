"use client";

import { useTranslations } from "next-intl";
import { PlainText } from "@/components/format/plain-text";
import { useNonce, withNonce } from "@/components/shell/nonce";
import { later, useLater } from "@/components/ui/later";

const markdownCode = later(() => import("@/components/format/rich-markdown").then(({ RichMarkdown }) => RichMarkdown));

type ContentPreviewProps = { text: string; title: string };

const STYLE =
  "body{font:14px/1.6 system-ui,sans-serif;margin:12px;color:#1c2430;background:#fff;overflow-wrap:anywhere}img{max-width:100%}pre{overflow:auto;background:#f3f5f7;padding:8px;border-radius:6px}table{border-collapse:collapse}td,th{border:1px solid #d5dae0;padding:4px 8px}a{color:#0b5cad}";

/**
 * Shows what visitors will see: Markdown as everywhere, HTML in a frame without scripts, forms or navigation, so that neither
 * the content nor its styles can affect the console. For content that is only an https URL it shows the URL, because
 * visitors get that page in a frame.
 */
export function ContentPreview({ text, title }: ContentPreviewProps) {
  const t = useTranslations("setting");
  const nonce = useNonce();
  const isHtml = text.trimStart().startsWith("<");
  const Markdown = useLater(markdownCode, !isHtml) ?? PlainText;
  if (/^https:\/\/\S+$/.test(text.trim()))
    return (
      <p className="rounded-md border border-dashed p-4 text-muted-foreground">
        {t("previewFrame", { address: text.trim() })}
      </p>
    );
  if (!isHtml)
    return (
      <section aria-label={title} className="min-h-40 min-w-0 overflow-hidden rounded-md border p-3">
        <Markdown text={text} />
      </section>
    );
  const page = `<!doctype html><html><head><style>${STYLE}</style></head><body dir="auto">${text}</body></html>`;
  return (
    <iframe
      title={title}
      sandbox=""
      srcDoc={withNonce(page, nonce)}
      className="min-h-40 w-full rounded-md border bg-white"
    />
  );
}
