"use client";

import { useLocale } from "next-intl";
import { useTheme } from "next-themes";
import { useCallback, useEffect, useRef } from "react";
import { useInBrowser } from "@/components/format/time";

/** A site of the operator inside the page. It is told theme and language, now and when they change. */
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
    // Before the site is there, the message would go to an empty page.
    if (loaded.current) tell();
  }, [tell]);
  const onLoad = () => {
    loaded.current = true;
    tell();
  };
  // Made in the browser: a frame that came with the page could be loaded before anything listens.
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
