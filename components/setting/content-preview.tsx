"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { createPortal } from "react-dom";
import { PlainText } from "@/components/format/plain-text";
import { useNonce, withNonce } from "@/components/shell/nonce";
import { later, useLater } from "@/components/ui/later";

const markdownCode = later(() => import("./preview-markdown").then(({ PreviewMarkdown }) => PreviewMarkdown));

type ContentPreviewProps = { text: string; title: string };

const STYLE =
  "body{font:14px/1.6 system-ui,sans-serif;margin:12px;color:#1c2430;background:#fff;overflow-wrap:anywhere}img{max-width:100%}pre{overflow:auto;background:#f3f5f7;padding:8px;border-radius:6px}table{border-collapse:collapse}td,th{border:1px solid #d5dae0;padding:4px 8px}a{color:#0b5cad}";

/**
 * Shows what visitors will see, in a frame without scripts, forms or navigation: neither the content nor its styles can
 * affect the console. For content that is only an https URL it shows the URL, because visitors get that page in a frame.
 */
export function ContentPreview({ text, title }: ContentPreviewProps) {
  const t = useTranslations("setting");
  const nonce = useNonce();
  const [body, setBody] = useState<HTMLElement | null>(null);
  const Markdown = useLater(markdownCode, body !== null) ?? PlainText;
  if (/^https:\/\/\S+$/.test(text.trim()))
    return (
      <p className="rounded-md border border-dashed p-4 text-muted-foreground">
        {t("previewFrame", { address: text.trim() })}
      </p>
    );
  const isHtml = text.trimStart().startsWith("<");
  const page = `<!doctype html><html><head><style>${STYLE}</style></head><body>${isHtml ? text : ""}</body></html>`;
  const onLoad = (frame: HTMLIFrameElement) => setBody(isHtml ? null : (frame.contentDocument?.body ?? null));
  return (
    <>
      <iframe
        key={isHtml ? "html" : "markdown"}
        title={title}
        // Rendered Markdown is written into the frame by the console, which needs the same origin. Scripts never run.
        sandbox={isHtml ? "" : "allow-same-origin"}
        srcDoc={withNonce(page, nonce)}
        onLoad={(event) => onLoad(event.currentTarget)}
        className="min-h-40 w-full rounded-md border bg-white"
      />
      {!isHtml && body ? createPortal(<Markdown text={text} />, body) : null}
    </>
  );
}
