"use client";

import { useLocale } from "next-intl";
import { useTheme } from "next-themes";
import { useEffect, useRef, useState } from "react";
import { useInBrowser } from "@/components/format/time";
import { useNonce, withNonce } from "./nonce";

const BASE_STYLE =
  "body{font:15px/1.65 system-ui,sans-serif;margin:0;padding:24px 20px;overflow-wrap:anywhere}img,video{max-width:100%;height:auto}pre{overflow:auto}";
const COLOURS = { light: "color:#1c2430;background:#fff", dark: "color:#e8ecf1;background:#14181e" } as const;
const LINKS = { light: "a{color:#0b5cad}", dark: "a{color:#7cc4f5}" } as const;

/**
 * The operator's HTML in a frame without scripts, so that it cannot affect the page. The frame grows to its content, so that
 * only the page scrolls.
 */
export function FramedHtml({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(320);
  const { resolvedTheme } = useTheme();
  const locale = useLocale();
  const inBrowser = useInBrowser();
  const nonce = useNonce();
  const theme = resolvedTheme === "dark" ? "dark" : "light";
  const style = `:root{color-scheme:${theme};${COLOURS[theme]}}${BASE_STYLE}${LINKS[theme]}`;
  const lang = locale === "zh" ? "zh-CN" : "en";
  const page = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title.replaceAll("<", "")}</title><style>${style}</style></head><body>${html}</body></html>`;
  const observer = useRef<ResizeObserver>(undefined);
  useEffect(() => () => observer.current?.disconnect(), []);
  const onLoad = () => {
    const root = frame.current?.contentDocument?.documentElement;
    if (!root) return;
    const measure = () => setHeight(Math.ceil(root.getBoundingClientRect().height));
    observer.current?.disconnect();
    observer.current = new ResizeObserver(measure);
    observer.current.observe(root);
    measure();
  };
  // Rendered only in the browser: a server-rendered frame could fire `load` before hydration attaches the handler.
  if (!inBrowser) return <div className="min-h-80" />;
  return (
    <iframe
      ref={frame}
      title={title}
      srcDoc={withNonce(page, nonce)}
      onLoad={onLoad}
      // Same origin only to measure the height; without "allow-scripts" no script runs in the frame.
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      style={{ height }}
      className="block min-h-40 w-full border-0"
    />
  );
}
