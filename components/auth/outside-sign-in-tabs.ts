import { useEffect, useEffectEvent } from "react";

const CHANNEL = "weir-outside-account";

/** The provider's page opens in a window of its own; the one it was opened from learns how it ended. */
export type OutsideNews = "signed-in" | "bound";

export function tellOtherTabs(news: OutsideNews): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(news);
  channel.close();
}

/** Calls back when another window of this site has signed in or bound an account. */
export function useOutsideNews(onNews: (news: OutsideNews) => void): void {
  const onMessage = useEffectEvent(onNews);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<OutsideNews>) => onMessage(data);
    return () => channel.close();
  }, []);
}

/** Opens an authorize page in a new window; in this one where the browser allows no other. */
export function openAuthorizePage(url: string): void {
  const opened = window.open(url, "_blank");
  if (!opened) {
    window.location.assign(url);
    return;
  }
  // The provider's page has no business with this one.
  opened.opener = null;
}
