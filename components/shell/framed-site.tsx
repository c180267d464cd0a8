"use client";

import { useLocale } from "next-intl";
import { useTheme } from "next-themes";
import { useCallback, useEffect, useRef } from "react";
import { useInBrowser } from "@/components/format/time";

/** A site of the operator in a frame. It receives theme and language on load and on every change. */
export function FramedSite({ address, title }: { address: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { resolvedTheme } = useTheme();
  const locale = useLocale();
  const inBrowser = useInBrowser();
  const tell = useCallback(() => {
    const { origin } = new URL(address);
    const target = frame.current?.contentWindow;
    target?.postMessage({ themeMode: resolvedTheme === "dark" ? "dark" : "light" }, origin);
    target?.postMessage({ lang: locale }, origin);
  }, [address, resolvedTheme, locale]);
  const loaded = useRef(false);
  useEffect(() => {
    // Before `load` the frame still holds an empty page that would receive the message.
    if (loaded.current) tell();
  }, [tell]);
  const onLoad = () => {
    loaded.current = true;
    tell();
  };
  // Rendered only in the browser: a server-rendered frame could fire `load` before hydration attaches the handler.
  if (!inBrowser) return <div className="h-[calc(100dvh-3.5rem)]" />;
  return (
    <iframe
      ref={frame}
      src={address}
      title={title}
      onLoad={onLoad}
      sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      className="block h-[calc(100dvh-3.5rem)] w-full border-0"
    />
  );
}
