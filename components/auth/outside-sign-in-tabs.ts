import { useEffect, useEffectEvent } from "react";

const CHANNEL = "weir-outside-account";

/** The provider's page opens in a new window, which broadcasts the result to the other windows of this site. */
export type OutsideNews = "signed-in" | "bound";

export function tellOtherTabs(news: OutsideNews): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(news);
  channel.close();
}

/** Calls `onNews` when another window of this site has signed in or bound an account. */
export function useOutsideNews(onNews: (news: OutsideNews) => void): void {
  const onMessage = useEffectEvent(onNews);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<OutsideNews>) => onMessage(data);
    return () => channel.close();
  }, []);
}

/** Opens the authorize page in a new window, or in this one if the browser blocks pop-ups. */
export function openAuthorizePage(url: string): void {
  const opened = window.open(url, "_blank");
  if (!opened) {
    window.location.assign(url);
    return;
  }
  // The provider's page must not get access to this window.
  opened.opener = null;
}
